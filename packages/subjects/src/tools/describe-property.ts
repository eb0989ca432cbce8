import type { Json } from "@steading/kernel";
import type { PropertyInfo } from "../info/subject-info.ts";
import { putOwn } from "./put-own.ts";
import type { World } from "./tool-world.ts";
import { faceOf, LISTED, READ_WHOLE, type FaceCaps } from "./value-face.ts";

export interface PropertyJson {
  value: Json;
  type: string;
  isWritable: boolean;
  [field: string]: Json;
}

/** A property as listings show it. */
export function listedProperty(world: World, property: PropertyInfo, options: { attributes: boolean }): PropertyJson {
  return describe(world, property, LISTED, options.attributes);
}

/** A property as `get_property` shows it: all of the value, and everything that is known about it. */
export function readProperty(world: World, property: PropertyInfo): PropertyJson {
  const entry = describe(world, property, READ_WHOLE, true);
  const { changedAt, source, facets } = property;
  if (changedAt !== undefined) entry["changedAt"] = new Date(changedAt).toISOString();
  if (source !== undefined) entry["source"] = source;
  if (facets.step !== undefined && entry["step"] === undefined) entry["step"] = facets.step;
  return entry;
}

function describe(world: World, property: PropertyInfo, caps: FaceCaps, withAttributes: boolean): PropertyJson {
  const { facets, type, format } = property;
  const face = faceOf(readValue(property), caps);
  const entry: PropertyJson = { value: face.value, type, isWritable: false };
  if (face.length !== undefined) entry["length"] = face.length;
  if (face.isTruncated === true) entry["isTruncated"] = true;
  const shownFormat = face.format ?? format;
  if (shownFormat !== undefined) entry["format"] = shownFormat;
  if (facets.unit !== undefined) entry["unit"] = facets.unit;
  entry["isWritable"] = world.access.mayWrite(property);
  const members = property.valueType?.kind === "enum" ? property.valueType.members : facets.enum;
  if (members !== undefined) entry["enum"] = [...members];
  if (facets.min !== undefined) entry["min"] = facets.min;
  if (facets.max !== undefined) entry["max"] = facets.max;
  if (facets.position !== undefined) entry["position"] = facets.position;
  if (facets.cumulative === true) entry["isCumulative"] = true;
  const quality = qualityOf(property, face.value, face.isBad === true);
  if (quality !== "good") entry["quality"] = quality;
  addAttributes(entry, property, caps, withAttributes);
  const more = world.metadata.propertyFields(property);
  return more === undefined ? entry : Object.assign(entry, more);
}

/** A derived getter is other people's code; if it throws, the value is bad, and the call goes on. */
function readValue(property: PropertyInfo): unknown {
  try {
    return property.value;
  } catch {
    return NaN;
  }
}

function qualityOf(property: PropertyInfo, shown: Json, isBad: boolean): string {
  if (isBad) return "bad";
  return shown === null && property.quality === "good" ? "unknown" : property.quality;
}

/** Live attributes also fill the top-level fields that the definition leaves open: a device may tell its own unit. */
const LIVE_FIELDS: readonly (readonly [attribute: string, field: string])[] = [
  ["unit", "unit"],
  ["Unit", "unit"],
  ["minimum", "min"],
  ["maximum", "max"],
  ["step", "step"],
];

function addAttributes(entry: PropertyJson, property: PropertyInfo, caps: FaceCaps, show: boolean): void {
  let attributes: Record<string, Json> | undefined;
  for (const attribute of property.attributes()) {
    if (attribute.facets.secret === true || attribute.facets.exposed === false) continue;
    attributes ??= {};
    putOwn(attributes, attribute.name.slice(property.name.length + 1), faceOf(readValue(attribute), caps).value);
  }
  if (attributes === undefined) return;
  for (const [attribute, field] of LIVE_FIELDS) {
    const live = Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
    if (live !== undefined && live !== null && entry[field] === undefined) entry[field] = live;
  }
  if (show) entry["attributes"] = attributes;
}
