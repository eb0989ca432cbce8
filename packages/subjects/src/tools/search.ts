import type { Json } from "@steading/kernel";
import type * as z from "zod";
import type { ChildEntry } from "../graph/view.ts";
import type { Subject } from "../instance/subject.ts";
import { breadthFirst, joinSteps, stepsTo, type Place } from "./breadth-first.ts";
import { browseNode, includingOf, type MutableJson } from "./browse.ts";
import type { SearchInput, SearchOutput } from "./extras-schemas.ts";
import { entrySize, jsonSize } from "./json-size.ts";
import { locateStart } from "./locate-target.ts";
import { isSameOrBelow } from "./path-scope.ts";
import { putOwn } from "./put-own.ts";
import { isOf } from "./query.ts";
import { visibleTree, walkFrom } from "./subject-walk.ts";
import type { World } from "./tool-world.ts";

/** How much of a path's end is compared; what matched higher up is remembered instead. */
const COMPARED_PATH_CHARS = 4_096;

/** Subjects by text and by type, over the whole graph or below one path. */
export function answerSearch(world: World, input: z.infer<typeof SearchInput>): z.infer<typeof SearchOutput> {
  const { limits } = world.config;
  const limit = Math.min(input.maxSubjects ?? limits.maxSubjects, limits.maxSubjects);
  const including = includingOf(input);
  const types = world.types.fullNames(input.types ?? [], "types");
  const excluded = world.types.fullNames(input.excludeTypes ?? [], "excludeTypes");
  const results: MutableJson = {};
  let room = limits.maxResponseChars;
  let subjectCount = 0;
  for (const { path, subject } of hits(world, input.path ?? "/", (input.query ?? "").toLowerCase())) {
    if (types.size > 0 && !isOf(world, subject, types)) continue;
    if (excluded.size > 0 && isOf(world, subject, excluded)) continue;
    if (subjectCount >= limit) return { results, subjectCount, truncated: true };
    const node = browseNode(world, subject, path, including);
    const size = entrySize(path, jsonSize(node));
    if (size > room && subjectCount > 0) return { results, subjectCount, truncated: true };
    room -= size;
    putOwn<Json, MutableJson>(results, path, node);
    subjectCount++;
  }
  return { results, subjectCount, truncated: false };
}

interface Hit {
  readonly path: string;
  readonly subject: Subject;
}

/** In breadth-first order, the start included. Text is looked for in the path and in what providers say in words. */
function* hits(world: World, from: string, text: string): Generator<Hit> {
  const start = locateStart(world, from);
  const excludes = world.config.searchExcludes.filter((path) => !isSameOrBelow(start.path, path));
  const startTail = compared(start.path);
  const startMatches = startTail.includes(text);
  if (start.kind === "subject" && (startMatches || saysInWords(world, start.subject.subject, text)))
    yield { path: start.path, subject: start.subject.subject };

  const tails = new WeakMap<Place<Subject, ChildEntry>, Tail>();
  const left = new Set<Subject>(
    excludes.map((path) => subjectAt(world, path)).filter((subject) => subject !== undefined),
  );
  for (const place of breadthFirst(visibleTree(world), walkFrom(world, start), Infinity, (subject) =>
    left.has(subject),
  )) {
    if (place.isRepeat) continue;
    const above =
      place.parent === null
        ? { text: startTail, matches: startMatches }
        : (tails.get(place.parent) ?? { text: "", matches: false });
    const tail = compared(joinSteps(above.text, [place.step]));
    const matches = above.matches || tail.includes(text);
    tails.set(place, { text: tail, matches });
    if (matches || saysInWords(world, place.subject, text))
      yield { path: joinSteps(start.path, stepsTo(place)), subject: place.subject };
  }
}

interface Tail {
  readonly text: string;
  /** The text was in the path of this subject, hence in the path of everything below it. */
  readonly matches: boolean;
}

function compared(path: string): string {
  const lower = path.toLowerCase();
  return lower.length > COMPARED_PATH_CHARS ? lower.slice(-COMPARED_PATH_CHARS) : lower;
}

/** Titles, descriptions and other text of providers; neither types nor property names, which `types` is for. */
function saysInWords(world: World, subject: Subject, text: string): boolean {
  const info = world.view.info(subject);
  if (titleOf(() => info.title).includes(text)) return true;
  return Object.entries(world.metadata.subjectFields(info)).some(
    ([key, value]) =>
      typeof value === "string" && key !== "$type" && key !== "$fullType" && value.toLowerCase().includes(text),
  );
}

function titleOf(read: () => string | undefined): string {
  try {
    return read()?.toLowerCase() ?? "";
  } catch {
    return "";
  }
}

function subjectAt(world: World, path: string): Subject | undefined {
  const found = world.view.locate(path, world.provider);
  return found.kind === "subject" ? found.subject.subject : undefined;
}
