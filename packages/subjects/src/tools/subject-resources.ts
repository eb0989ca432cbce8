import type { Caller, Cancel, Json, ResourceContent, ResourceProvider } from "@steading/kernel";
import { SteadingError } from "@steading/kernel";
import type { Located } from "../paths/resolution.ts";
import type { Subject } from "../instance/subject.ts";
import { breadthFirst, joinSteps, stepsTo } from "./breadth-first.ts";
import { readProperty } from "./describe-property.ts";
import { describeSubject, visibleChildren } from "./describe-subject.ts";
import { locateAny, locateStart } from "./locate-target.ts";
import { putOwn } from "./put-own.ts";
import { pathsOf, uriOf } from "./resource-uri.ts";
import { createReadInterest, type ReadInterest } from "./read-interest.ts";
import { visibleTree, walkFrom } from "./subject-walk.ts";
import type { World, Worlds } from "./tool-world.ts";
import { shortName } from "./type-catalogue.ts";

/** How far down resources are listed one by one; everything deeper is reached by the template. */
const LISTED_DEPTH = 3;
const MAX_LISTED = 1_000;
const MAX_CHILDREN = 100;
const MIME = "application/json";

/** `steading://<path>`: a subject with its values, or one property, and a notice when it changes. */
export function createSubjectResources(worlds: Worlds): ResourceProvider {
  const interest = createReadInterest({ graph: () => worlds.graph() });
  return {
    scheme: "steading",
    toolset: "subjects",
    templates: [
      { uriTemplate: "steading:///{path}", name: "subject", description: "A subject or property by its path." },
    ],
    list(caller, { after, limit }) {
      const all = listed(worlds.open(caller));
      const start = after === undefined ? 0 : all.findIndex(({ uri }) => uri === after) + 1;
      return all.slice(start, start + limit);
    },
    read: (uri, caller) => Promise.resolve(readResource(worlds, interest, uri, caller)),
    onUpdated: (listener): Cancel => interest.onUpdated(listener),
    onListChanged: (listener): Cancel => interest.onStructure(listener),
  };
}

function listed(world: World): { uri: string; name: string; title?: string; mimeType: string }[] {
  const start = locateStart(world, "/");
  const found = [{ uri: uriOf("/"), name: "/", mimeType: MIME }];
  for (const place of breadthFirst(visibleTree(world), walkFrom(world, start), LISTED_DEPTH)) {
    if (found.length >= MAX_LISTED) break;
    if (place.isRepeat) continue;
    const path = joinSteps("/", stepsTo(place));
    const title = describeSubject(world, place.subject, NOTHING_MORE, 0).node["$title"];
    found.push({ uri: uriOf(path), name: path, mimeType: MIME, ...(typeof title === "string" ? { title } : {}) });
  }
  return found;
}

const NOTHING_MORE = { properties: false, attributes: false, methods: false, interfaces: false };

/** Nothing there and not for this caller look alike. */
function readResource(
  worlds: Worlds,
  interest: ReadInterest,
  uri: string,
  caller: Caller,
): ResourceContent | undefined {
  const world = worlds.open(caller);
  for (const path of pathsOf(uri)) {
    const found = locateQuietly(world, path);
    if (found === undefined) continue;
    const content = contentOf(world, found);
    if (content === undefined) continue;
    interest.note(uri, found.subject.subject, found.kind === "property" ? found.property.name : undefined);
    return { uri, mimeType: MIME, text: JSON.stringify(content) };
  }
  return undefined;
}

function locateQuietly(world: World, path: string): Located | undefined {
  try {
    const found = locateAny(world, path);
    return world.access.opensPath(found.path) &&
      world.access.allows("read", found.kind === "property" ? found.property : found.subject)
      ? found
      : undefined;
  } catch (error) {
    if (error instanceof SteadingError) return undefined;
    throw error;
  }
}

function contentOf(world: World, found: Located): Json | undefined {
  if (found.kind === "property") return { path: found.path, ...readProperty(world, found.property) };
  if (found.kind !== "subject") return undefined;
  const { subject } = found.subject;
  const including = { properties: true, attributes: true, methods: true, interfaces: true };
  const { node } = describeSubject(world, subject, including, world.config.limits.maxResponseChars);
  return { path: found.path, ...node, ...childLinks(world, subject, found.path) };
}

function childLinks(world: World, subject: Subject, path: string): Record<string, Json> {
  const children: Record<string, Json> = {};
  let count = 0;
  for (const { step, subject: child } of visibleChildren(world, subject)) {
    if (++count > MAX_CHILDREN) return { $children: children, $childrenTruncated: true };
    putOwn(children, step, { $type: shortName(child.$type), uri: uriOf(joinSteps(path, [step])) });
  }
  return count === 0 ? {} : { $children: children };
}
