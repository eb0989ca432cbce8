import type { Json } from "@steading/kernel";
import type { ChildEntry } from "../graph/view.ts";
import type { SubjectInfo } from "../info/subject-info.ts";
import type { Subject } from "../instance/subject.ts";
import type { DrawnNode, NodeJson } from "./admission.ts";
import { listedProperty } from "./describe-property.ts";
import { entrySize, jsonSize } from "./json-size.ts";
import { displayText } from "./display-text.ts";
import { putOwn } from "./put-own.ts";
import type { World } from "./tool-world.ts";
import { shortName } from "./type-catalogue.ts";

export interface Including {
  readonly properties: boolean;
  readonly attributes: boolean;
  readonly methods: boolean;
  readonly interfaces: boolean;
}

/** A subject's metadata, and its property values if asked for; children are added by who lists them. */
export function describeSubject(world: World, subject: Subject, including: Including, room: number): DrawnNode {
  const info = world.view.info(subject);
  const node = metadataOf(world, info, including);
  const size = jsonSize(node);
  return { node, size: including.properties ? addProperties(world, info, { node, size }, including, room) : size };
}

function metadataOf(world: World, info: SubjectInfo, including: Including): NodeJson {
  const type = shortName(info.type);
  const node: NodeJson = { $type: type };
  if (type !== info.type) node["$fullType"] = info.type;
  if (including.interfaces) {
    const interfaces = info.interfaces.filter((name) => world.types.isKnownInterface(name));
    if (interfaces.length > 0) node["$interfaces"] = interfaces;
  }
  const title = textOf(() => info.title);
  if (title !== undefined) node["$title"] = title;
  const icon = textOf(() => info.icon);
  if (icon !== undefined) node["$icon"] = icon;
  const methods = including.methods ? shownMethods(world, info) : [];
  if (methods.length > 0) node["$methods"] = methods;
  node["$hasChildren"] = hasVisibleChildren(world, info.subject);
  const more = world.metadata.subjectFields(info);
  return more === undefined ? node : Object.assign(node, more);
}

/** A title may be computed by other people's code. */
function textOf(read: () => string | undefined): string | undefined {
  try {
    const text = read();
    return text === undefined || text === "" ? undefined : displayText(text);
  } catch {
    return undefined;
  }
}

/** What this caller could run. `list_methods` shows the others too, and why they are barred. */
function shownMethods(world: World, info: SubjectInfo): Json[] {
  return [...world.metadata.methods(info).values()]
    .filter((method) => world.access.mayInvoke(method).ok)
    .map((method) => method.name);
}

/** Returns the size of the node with what was added. */
function addProperties(world: World, info: SubjectInfo, start: DrawnNode, including: Including, room: number): number {
  const { node } = start;
  if (!isOpen(world, info.subject)) return start.size;
  let size = start.size;
  let omitted = 0;
  for (const { segment, property } of world.view.exposed(info.subject, world.provider)) {
    if (property.facets.secret === true || !world.access.allows("read", property)) continue;
    const entry = omitted > 0 ? undefined : listedProperty(world, property, including);
    const added = entry === undefined ? 0 : entrySize(segment, jsonSize(entry));
    if (entry === undefined || size + added > room) {
      omitted++;
      continue;
    }
    size += added;
    putOwn(node, segment, entry);
  }
  if (omitted === 0) return size;
  node["$omittedProperties"] = omitted;
  return size + entrySize("$omittedProperties", jsonSize(omitted));
}

/** Visible children: what the path provider exposes, less what token and policy hide. */
export function visibleChildren(world: World, subject: Subject): Iterable<ChildEntry> {
  const children = world.view.children(subject, world.provider);
  return isNarrowed(world) ? shownOf(world, children) : children;
}

function* shownOf(world: World, children: Iterable<ChildEntry>): Generator<ChildEntry> {
  for (const child of children) if (isVisible(world, child.subject)) yield child;
}

export function isVisible(world: World, subject: Subject): boolean {
  if (world.config.authorize !== undefined && !world.access.allows("read", world.view.info(subject))) return false;
  if (world.caller.scope?.pathPrefixes === undefined) return true;
  const path = world.view.pathOf(subject, world.provider);
  return path !== null && world.access.showsPath(path);
}

/** Its values are shown to a narrow token only inside its part, not on the way there. */
function isOpen(world: World, subject: Subject): boolean {
  if (world.caller.scope?.pathPrefixes === undefined) return true;
  const path = world.view.pathOf(subject, world.provider);
  return path !== null && world.access.opensPath(path);
}

/** Does anything beside the path provider hide subjects from this caller? */
function isNarrowed(world: World): boolean {
  return world.config.authorize !== undefined || world.caller.scope?.pathPrefixes !== undefined;
}

export function hasVisibleChildren(world: World, subject: Subject): boolean {
  if (!isNarrowed(world)) return world.view.hasChildren(subject, world.provider);
  return visibleChildren(world, subject)[Symbol.iterator]().next().done !== true;
}
