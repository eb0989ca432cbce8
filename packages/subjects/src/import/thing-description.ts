import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import { subjectError } from "../subject-error.ts";
import type { DataMethod, DataProperty, DataSubject, DataType, Invoke } from "./data-definition.ts";

export interface ThingOptions {
  /** Full and dotted; default from the Thing Model it refers to, or from its title. */
  readonly typeName?: string;
  readonly invoke?: Invoke;
}

const MAX_AFFORDANCES = 2_000;
const MAX_TEXT = 500;

/** Reads a W3C Thing Description. What it says about itself is data: shortened, and never taken for our own words. */
export function fromThingDescription(td: unknown, { typeName, invoke }: ThingOptions = {}): DataSubject {
  if (!isJsonObject(td)) throw wrong("is not a JSON object");
  const id = text(td["id"]);
  const title = text(td["title"]);
  if (id === undefined && title === undefined) throw wrong("has neither id nor title");
  const properties = affordances(td["properties"], propertyOf);
  const methods = affordances(td["actions"], methodOf);
  for (const name of Object.keys(methods))
    if (Object.hasOwn(properties, name)) throw wrong(`calls both a property and an action ${name}`);
  return {
    id: id ?? `urn:title:${title ?? ""}`,
    name: typeName ?? typeNameOf(td, title ?? id ?? "Thing"),
    interfaces: strings(td["@type"])
      .map(interfaceName)
      .filter((name, i, all) => all.indexOf(name) === i),
    properties,
    methods,
    ...(title === undefined ? {} : { title }),
    ...(text(td["description"]) === undefined ? {} : { about: text(td["description"]) ?? "" }),
    ...(invoke === undefined ? {} : { invoke }),
  };
}

function wrong(what: string): Error {
  return subjectError("VALIDATION_FAILED", `The Thing Description ${what}.`);
}

function affordances<T>(given: Json | undefined, read: (name: string, affordance: JsonObject) => T): Record<string, T> {
  const result: Record<string, T> = {};
  if (given === undefined) return result;
  if (!isJsonObject(given)) throw wrong("has affordances that are no object");
  const entries = Object.entries(given);
  if (entries.length > MAX_AFFORDANCES) throw wrong(`has more than ${MAX_AFFORDANCES} affordances of one kind`);
  for (const [name, affordance] of entries) {
    if (!isJsonObject(affordance)) throw wrong(`describes ${name.slice(0, 100)} by something that is no object`);
    Object.defineProperty(result, foreignName(name), { value: read(name, affordance), enumerable: true });
  }
  return result;
}

/** Property names are ours to choose where the foreign one breaks a rule: `$` at the start, or `@`. */
function foreignName(name: string): string {
  return name.replace(/@/g, "_at_").replace(/^\$/, "_");
}

function propertyOf(_name: string, td: JsonObject): DataProperty {
  const members = strings(td["enum"]);
  const isEnum = members.length > 0 && members.length === (td["enum"] as readonly Json[]).length;
  const isWriteOnly = td["writeOnly"] === true;
  return {
    ...(isEnum ? { enum: members } : { type: typeOf(td) }),
    ...numbers(td, { minimum: "min", maximum: "max", multipleOf: "step" }),
    ...texts(td, ["title", "description", "unit"]),
    writable: td["readOnly"] !== true,
    // A write-only property never has a value; a null type is allowed to be null.
    ...(isWriteOnly || strings(td["type"]).includes("null") ? { nullable: true } : {}),
    ...(isWriteOnly ? { role: "config" as const } : {}),
    source: {
      forms: td["forms"] ?? [],
      ...(isWriteOnly ? { writeOnly: true } : {}),
      ...(td["observable"] === true ? { observable: true } : {}),
    },
  };
}

function typeOf(td: JsonObject): DataType {
  const [type] = strings(td["type"]).filter((each) => each !== "null");
  const format = td["format"];
  if (
    type === "string" &&
    (format === "date-time" || format === "date" || format === "time" || format === "duration" || format === "uuid")
  )
    return format;
  if (type === "string" && format === "uri") return "url";
  if (type === "number" || type === "integer" || type === "boolean" || type === "string") return type;
  return type === "array" ? "list" : type === "object" ? "record" : "unknown";
}

function methodOf(_name: string, td: JsonObject): DataMethod {
  return {
    kind: td["safe"] === true ? "query" : "operation",
    ...texts(td, ["title", "description"]),
    ...(isJsonObject(td["input"]) ? { input: argumentsOf(td["input"]) } : {}),
    ...(isJsonObject(td["output"]) ? { output: td["output"] } : {}),
    source: { forms: td["forms"] ?? [] },
  };
}

/** Our methods take named arguments; a bare input value gets the name `value`. */
function argumentsOf(input: JsonObject): JsonObject {
  if (input["type"] === "object" || isJsonObject(input["properties"]))
    return { additionalProperties: false, ...input, type: "object" };
  return { type: "object", properties: { value: input }, required: ["value"], additionalProperties: false };
}

function texts(td: JsonObject, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => (text(td[name]) === undefined ? [] : [[name, text(td[name]) ?? ""]])),
  );
}

function numbers(td: JsonObject, names: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([from, to]) => (typeof td[from] === "number" ? [[to, td[from]]] : [])),
  );
}

/** Device text: capped, control characters gone. */
function text(value: Json | undefined): string | undefined {
  if (typeof value !== "string") return undefined;
  const clean = value
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_TEXT);
  return clean.length === 0 ? undefined : clean;
}

function strings(value: Json | undefined): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}

/** `saref:TemperatureSensor` and `https://example.org/ns#Lamp` become dotted names. */
function interfaceName(type: string): string {
  const parts = type
    .replace(/^https?:\/\//, "")
    .split(/[/#:.]+/)
    .map((part) => part.replace(/[^A-Za-z0-9_-]+/g, "_"))
    .filter((part) => part.length > 0);
  return ["wot", ...parts.slice(-2)].join(".");
}

function typeNameOf(td: JsonObject, title: string): string {
  const links = Array.isArray(td["links"]) ? td["links"] : [];
  const model = links.find((link): link is JsonObject => isJsonObject(link) && link["rel"] === "type");
  const href = text(model?.["href"]);
  const words = (href === undefined ? title : (href.split(/[/#]/).filter(Boolean).at(-1) ?? title)).replace(
    /\.tm\.jsonld?$|\.json(ld)?$/,
    "",
  );
  const name = words
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
  return `wot.things.${name === "" ? "Thing" : name}`;
}
