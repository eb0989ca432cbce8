import type { Subject } from "../instance/subject.ts";
import type { ChildEntry } from "../graph/view.ts";
import { joinSteps, stepsTo, type Place, type WalkStart } from "./breadth-first.ts";
import { isVisible } from "./describe-subject.ts";
import { isSameOrBelow } from "./path-scope.ts";
import type { World } from "./tool-world.ts";
import { inTreeOrder } from "./tree-order.ts";

/** Above this share of all subjects, walking the tree and stopping early is cheaper than placing every hit. */
const DENSE_SHARE = 8;
/** Routes looked at for a hit whose shortest one does not lead through the start. */
const MAX_ROUTES = 64;

export interface FlatHits {
  readonly places: readonly Place<Subject>[];
  /** Some hits lie deeper than the depth allows. */
  readonly hasDeeper: boolean;
}

/** Is the index the shorter way to the hits? */
export function isSparse(world: World, types: ReadonlySet<string>): boolean {
  let hits = 0;
  for (const type of types) hits += world.view.countOfType(type);
  return hits * DENSE_SHARE <= world.graph.registry.count;
}

/** The hits below the start, straight from the type index: of the rest of the graph only their siblings are looked at. */
export function indexedHits(
  world: World,
  options: {
    start: WalkStart<Subject, ChildEntry>;
    startPath: string;
    depth: number;
    types: ReadonlySet<string>;
    excludes: (subject: Subject) => boolean;
  },
): FlatHits {
  const hits: { path: string; subject: Subject }[] = [];
  const seen = new Set<Subject>();
  let hasDeeper = false;
  for (const type of options.types) {
    for (const subject of world.view.ofType(type)) {
      if (subject === options.start.subject || seen.has(subject) || options.excludes(subject)) continue;
      seen.add(subject);
      const below = placeBelow(world, subject, options.startPath);
      if (below === undefined || !isVisible(world, subject)) continue;
      if (below.level > options.depth) hasDeeper = true;
      else hits.push({ path: below.path, subject });
    }
  }
  const ordered = inTreeOrder(hits, (prefix) =>
    siblingsAt(world, options.start, joinSteps(options.startPath, [prefix]), prefix),
  );
  return { places: ordered.map(({ path, subject }) => flatPlace(path, subject)), hasDeeper };
}

function siblingsAt(
  world: World,
  start: WalkStart<Subject, ChildEntry>,
  path: string,
  prefix: string,
): Iterable<ChildEntry> {
  if (prefix === "") return start.branches;
  const parent = world.view.locate(path, world.provider);
  return parent.kind === "subject" ? world.view.children(parent.subject.subject, world.provider) : [];
}

/** The path relative to the start, and how many steps it has. */
function placeBelow(world: World, subject: Subject, startPath: string): { path: string; level: number } | undefined {
  const canonical = world.view.pathOf(subject, world.provider);
  if (canonical === null) return undefined;
  const route = isSameOrBelow(canonical, startPath)
    ? canonical
    : world.view.paths(subject, world.provider, MAX_ROUTES).find((path) => isSameOrBelow(path, startPath));
  if (route === undefined) return undefined;
  const path = startPath === "/" ? route.slice(1) : route.slice(startPath.length).replace(/^\//, "");
  return path === "" ? undefined : { path, level: path.split("/").length };
}

/** The places of a walk that match, each keyed by its whole path below the start. */
export function* walkedHits(
  places: Iterable<Place<Subject>>,
  matches: (subject: Subject) => boolean,
): Generator<Place<Subject>> {
  for (const place of places)
    if (!place.isRepeat && matches(place.subject)) yield flatPlace(joinSteps("", stepsTo(place)), place.subject);
}

/** In flat answers every hit hangs directly below the start, by its whole path. */
function flatPlace(step: string, subject: Subject): Place<Subject> {
  return { step, subject, via: { step, subject }, parent: null, level: 1, isRepeat: false };
}
