import type { Json } from "@steading/kernel";
import type * as z from "zod";
import type { ChildEntry } from "../graph/view.ts";
import type { PropertyInfo } from "../info/subject-info.ts";
import type { Subject } from "../instance/subject.ts";
import { breadthFirst, type Place } from "./breadth-first.ts";
import { listedProperty } from "./describe-property.ts";
import { describeSubject, visibleChildren, type Including } from "./describe-subject.ts";
import type { BrowseInput, BrowseOutput } from "./extras-schemas.ts";
import { entrySize, jsonSize } from "./json-size.ts";
import { locateSubject } from "./locate-target.ts";
import { putOwn } from "./put-own.ts";
import { isOf } from "./query.ts";
import { visibleTree, walkFrom } from "./subject-walk.ts";
import type { World } from "./tool-world.ts";
import { shortName } from "./type-catalogue.ts";

export type MutableJson = Record<string, Json>;

/** Items looked at to see whether a collapsed collection holds one type only. */
const MAX_TYPED_ITEMS = 10_000;
const KINDS = { one: "object", list: "collection", map: "dictionary" } as const;

/** A tree that keeps the names of containers, and collapses what lies beyond the depth to a count. */
export function answerBrowse(world: World, input: z.infer<typeof BrowseInput>): z.infer<typeof BrowseOutput> {
  const { limits } = world.config;
  const start = locateSubject(world, input.path ?? "/");
  const depth = Math.min(input.depth ?? 1, limits.maxDepth);
  const limit = Math.min(input.maxSubjects ?? limits.maxSubjects, limits.maxSubjects);
  const including = includingOf(input);
  const excluded = world.types.fullNames(input.excludeTypes ?? [], "excludeTypes");
  const leaveOut = excluded.size === 0 ? undefined : (subject: Subject) => isOf(world, subject, excluded);

  const result = browseNode(world, start.subject.subject, start.path, including);
  let room = limits.maxResponseChars - jsonSize(result);
  const nodes = new Map<Place<Subject, ChildEntry>, MutableJson>();
  let subjectCount = 0;
  let truncated = false;
  if (depth === 0) collapseChildren(world, start.subject.subject, result);
  for (const place of breadthFirst(visibleTree(world), walkFrom(world, start), depth, leaveOut)) {
    const node = place.isRepeat
      ? refNode(world, place.subject)
      : browseNode(world, place.subject, undefined, including);
    if (!place.isRepeat && place.level === depth) collapseChildren(world, place.subject, node);
    const size = entrySize(place.step, jsonSize(node)) + 40;
    if ((!place.isRepeat && subjectCount >= limit) || size > room) {
      truncated = true;
      break;
    }
    room -= size;
    if (!place.isRepeat) subjectCount++;
    nodes.set(place, node);
    hang(place.parent === null ? result : (nodes.get(place.parent) ?? result), place.via, node);
  }
  return { result, subjectCount, truncated };
}

export function includingOf(input: {
  [K in "includeProperties" | "includeAttributes" | "includeMethods" | "includeInterfaces"]?: boolean | undefined;
}): Including {
  return {
    properties: input.includeProperties ?? false,
    attributes: input.includeAttributes ?? false,
    methods: input.includeMethods ?? false,
    interfaces: input.includeInterfaces ?? false,
  };
}

/** `$path $type …`, methods and interfaces under their plain names, values under `properties`. */
export function browseNode(
  world: World,
  subject: Subject,
  path: string | undefined,
  including: Including,
): MutableJson & { $path: string; $type: string } {
  const { node } = describeSubject(world, subject, { ...including, properties: false }, 0);
  const { $type, $methods, $interfaces, $hasChildren: _shownBelow, ...rest } = node;
  const properties: MutableJson = {};
  if (including.properties)
    for (const { segment, property } of world.view.exposed(subject, world.provider)) {
      if (property.facets.secret === true || !world.access.allows("read", property)) continue;
      putOwn(properties, segment, { kind: "value", ...listedProperty(world, property, including) });
    }
  return {
    $path: path ?? world.view.pathOf(subject, world.provider) ?? "/",
    $type: typeof $type === "string" ? $type : shortName(subject.$type),
    ...rest,
    ...($methods === undefined ? {} : { methods: $methods }),
    ...($interfaces === undefined ? {} : { interfaces: $interfaces }),
    properties,
  };
}

function refNode(world: World, subject: Subject): MutableJson {
  const path = world.view.pathOf(subject, world.provider) ?? "/";
  return { $path: path, $type: shortName(subject.$type), $ref: path };
}

/** Puts a node where its container is, and makes the container when it is the first. */
function hang(parent: MutableJson, { property, key }: ChildEntry, node: MutableJson): void {
  const properties = parent["properties"] as MutableJson; // browseNode made it
  const kind = kindOf(property);
  if (kind === "object") return putOwn(properties, property.name, { kind, child: node });
  const present = Object.hasOwn(properties, property.name) ? (properties[property.name] as MutableJson) : undefined;
  const container: MutableJson = present ?? { kind, children: kind === "collection" ? [] : {} };
  if (present === undefined) putOwn(properties, property.name, container);
  if (kind === "collection") (container["children"] as Json[]).push(node);
  else putOwn(container["children"] as MutableJson, String(key), node);
}

function kindOf(property: PropertyInfo): "object" | "collection" | "dictionary" {
  return KINDS[property.shape ?? "one"];
}

/** What lies beyond the depth, as a count per container; empty ones are left out. */
function collapseChildren(world: World, subject: Subject, node: MutableJson): void {
  const found = new Map<PropertyInfo["name"], { property: PropertyInfo; count: number; types: Set<string> }>();
  for (const { property, subject: child } of visibleChildren(world, subject)) {
    const entry = found.get(property.name) ?? { property, count: 0, types: new Set<string>() };
    found.set(property.name, entry);
    entry.count++;
    if (entry.count <= MAX_TYPED_ITEMS && entry.types.size < 2) entry.types.add(child.$type);
  }
  for (const { property, count, types } of found.values()) {
    const [only] = types;
    const isUniform = types.size === 1 && count <= MAX_TYPED_ITEMS && only !== undefined;
    putOwn(node["properties"] as MutableJson, property.name, {
      kind: kindOf(property),
      isCollapsed: true,
      count,
      ...(isUniform ? { itemType: shortName(only) } : {}),
    });
  }
}
