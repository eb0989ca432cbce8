import { createHash } from "node:crypto";
import type * as z from "zod";
import type { Json } from "@steading/kernel";
import type { ChildEntry } from "../graph/view.ts";
import type { Subject } from "../instance/subject.ts";
import { admit, type AdmissionResult, type DrawnNode } from "./admission.ts";
import { breadthFirst, type Place, type WalkStart } from "./breadth-first.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { describeSubject, visibleChildren, type Including } from "./describe-subject.ts";
import { jsonSize } from "./json-size.ts";
import { locateStart } from "./locate-target.ts";
import { indexedHits, isSparse, walkedHits } from "./query-filter.ts";
import { visibleTree, walkFrom } from "./subject-walk.ts";
import type { QueryInput as QueryInputSchema, QueryOutput } from "./tool-schemas.ts";
import type { World } from "./tool-world.ts";
import { shortName } from "./type-catalogue.ts";

export type QueryInput = z.infer<typeof QueryInputSchema>;
export type QueryAnswer = z.infer<typeof QueryOutput>;

/** Fields of the answer other than the nodes. */
const FRAME_CHARS = 500;
/** Subjects looked at to learn whether anything lies deeper than the search went. */
const MAX_HINT_LOOK = 2_000;

/** The answer of `query`. Runs without a pause, so that all values in it belong to one revision. */
export function answerQuery(world: World, input: QueryInput): QueryAnswer {
  const { limits } = world.config;
  const start = locateStart(world, input.path ?? "/");
  const depth = Math.min(input.depth ?? 1, limits.maxDepth);
  const including: Including = {
    properties: input.includeProperties ?? false,
    attributes: input.includeAttributes ?? false,
    methods: input.includeMethods ?? true,
    interfaces: input.includeInterfaces ?? true,
  };
  const types = world.types.fullNames(input.filter?.types ?? [], "filter.types");
  const excluded = world.types.fullNames(input.filter?.excludeTypes ?? [], "filter.excludeTypes");
  const question = questionMark([start.path, depth, [...types], [...excluded], input.snapshot_id ?? null]);
  const after = input.cursor === undefined ? undefined : decodeCursor(input.cursor, question);

  const startNode =
    start.kind === "subject"
      ? describeSubject(world, start.subject.subject, including, limits.maxResponseChars - FRAME_CHARS)
      : undefined;
  const room = Math.max(0, limits.maxResponseChars - FRAME_CHARS - (startNode?.size ?? 0));
  const walk: Walk = { world, depth, types, excluded, start: walkFrom(world, start), startPath: start.path };
  const listed = walk.types.size === 0 ? nestedPlaces(walk) : flatPlaces(walk);
  const result = admit<Subject>({
    places: listed.places,
    limit: Math.min(input.limit ?? limits.maxSubjects, limits.maxSubjects),
    room,
    ...(after === undefined ? {} : { after }),
    draw: (place) =>
      place.isRepeat ? refNode(world, place.subject) : describeSubject(world, place.subject, including, room),
  });
  const hint =
    types.size > 0 && result.subjectCount === 0 && result.truncatedBy === undefined
      ? deeperHint(walk, listed.hasDeeper)
      : undefined;
  return {
    path: start.path,
    ...(startNode === undefined ? {} : { subject: startNode.node }),
    subjects: result.subjects,
    truncated: result.truncatedBy !== undefined,
    subjectCount: result.subjectCount,
    ...((input.depth ?? 1) > depth ? { depth } : {}),
    ...cutFields(result, question),
    ...(hint === undefined ? {} : { hint }),
  };
}

interface Walk {
  readonly world: World;
  readonly depth: number;
  readonly types: ReadonlySet<string>;
  readonly excluded: ReadonlySet<string>;
  readonly start: WalkStart<Subject, ChildEntry>;
  readonly startPath: string;
}

interface Listed {
  places(): Iterable<Place<Subject>>;
  readonly hasDeeper: boolean;
}

/** The whole tree below the start; an excluded type takes its subtree along. */
function nestedPlaces({ world, start, depth, excluded }: Walk): Listed {
  const leaveOut = excluded.size === 0 ? undefined : (subject: Subject) => isOf(world, subject, excluded);
  return { places: () => breadthFirst(visibleTree(world), start, depth, leaveOut), hasDeeper: false };
}

/** Only what matches, wherever it is; an excluded type hides itself alone. */
function flatPlaces({ world, start, startPath, depth, types, excluded }: Walk): Listed {
  const excludes = (subject: Subject): boolean => excluded.size > 0 && isOf(world, subject, excluded);
  if (isSparse(world, types)) {
    const { places, hasDeeper } = indexedHits(world, { start, startPath, depth, types, excludes });
    return { places: () => places, hasDeeper };
  }
  const matches = (subject: Subject): boolean => isOf(world, subject, types) && !excludes(subject);
  return { places: () => walkedHits(breadthFirst(visibleTree(world), start, depth), matches), hasDeeper: false };
}

export function isOf(world: World, subject: Subject, types: ReadonlySet<string>): boolean {
  if (types.has(subject.$type)) return true;
  return world.view.info(subject).interfaces.some((name) => types.has(name));
}

function refNode(world: World, subject: Subject): DrawnNode {
  const node = { $ref: world.view.pathOf(subject, world.provider) ?? "/", $type: shortName(subject.$type) };
  return { node, size: jsonSize(node) };
}

function cutFields({ truncatedBy, stop, omitted }: AdmissionResult, question: string): Record<string, Json> {
  if (stop === undefined) return {};
  return {
    ...(truncatedBy === "size" ? { truncatedBy } : {}),
    cursor: encodeCursor({ ...stop, question }),
    ...(omitted === undefined ? {} : { omitted }),
  };
}

function deeperHint({ world, start, depth }: Walk, hasDeeper: boolean): string | undefined {
  if (!hasDeeper && !somethingBelow(world, start, depth)) return undefined;
  const { maxDepth } = world.config.limits;
  const remedy = depth < maxDepth ? `ask with depth: ${maxDepth}, or use search` : "start further down, or use search";
  return `Nothing matches within depth ${depth}, but there are deeper subjects: ${remedy}.`;
}

/** Depth first, because any one subject below the depth will do. */
function somethingBelow(world: World, start: WalkStart<Subject, ChildEntry>, depth: number): boolean {
  const met = new Set<Subject>();
  const open = [start.branches[Symbol.iterator]()];
  for (let looked = 0; looked < MAX_HINT_LOOK && open.length > 0; looked++) {
    const next = open[open.length - 1]?.next();
    if (next === undefined || next.done === true) open.pop();
    else if (open.length > depth) return true;
    else if (!met.has(next.value.subject)) {
      met.add(next.value.subject);
      open.push(visibleChildren(world, next.value.subject)[Symbol.iterator]());
    }
  }
  return false;
}

/** Ties a cursor to what was asked; limit and includes may differ from page to page. */
function questionMark(parts: Json): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 12);
}
