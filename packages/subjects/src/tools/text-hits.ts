import type { ChildEntry } from "../graph/view.ts";
import type { Subject } from "../instance/subject.ts";
import { joinSteps } from "./breadth-first.ts";
import { hasVisibleChildren, visibleChildren } from "./describe-subject.ts";
import { locateStart } from "./locate-target.ts";
import { isSameOrBelow } from "./path-scope.ts";
import { walkFrom } from "./subject-walk.ts";
import type { World } from "./tool-world.ts";

/** How much of a path's end is compared; what matched higher up is remembered instead. */
const COMPARED_PATH_CHARS = 4_096;

const TYPE_NAMES: ReadonlySet<string> = new Set(["$type", "$fullType"]);

export interface TextHit {
  readonly path: string;
  readonly subject: Subject;
}

interface Above {
  readonly step: string;
  /** Null at the start. */
  readonly above: Above | null;
  /** The end of its path in lower case; only kept when the text could span several steps. */
  readonly tail: string;
  /** The text was in its path, hence in the path of everything below it. */
  readonly matches: boolean;
}

/** A subject whose children are still to be looked at. */
interface Open extends Above {
  readonly subject: Subject;
}

/**
 * Subjects whose path, or whose metadata in words, holds the text; in breadth-first order, the start included. A loop of its
 * own instead of the general walk: over 100 000 subjects every object that is not made counts.
 */
export function* textHits(world: World, from: string, wanted: string): Generator<TextHit> {
  const text = wanted.toLowerCase();
  const spansSteps = /[/[\]%]/.test(text);
  const words = createWords(text);
  const start = locateStart(world, from);
  const startPath = start.path.toLowerCase();
  const startMatches = startPath.includes(text);
  const { subject: first, branches } = walkFrom(world, start);
  if (first !== undefined && (startMatches || saysInWords(world, first, words)))
    yield { path: start.path, subject: first };

  const left = excludedSubjects(world, start.path);
  const met = new Set<Subject>(first === undefined ? [] : [first]);
  const { registry } = world.graph;
  const top: Above = {
    above: null,
    step: "",
    tail: spansSteps ? startPath.slice(-COMPARED_PATH_CHARS) : "",
    matches: startMatches,
  };
  let entries: Iterable<ChildEntry> = branches;
  let above: Above = top;
  const open: Open[] = [];
  for (let next = 0; ; next++) {
    for (const entry of entries) {
      const { subject } = entry;
      if (left.has(subject) || met.has(subject)) continue;
      if (registry.refCount(subject) > 1) met.add(subject);
      const tail = spansSteps ? joinSteps(above.tail, [entry.step.toLowerCase()]).slice(-COMPARED_PATH_CHARS) : "";
      const matches = above.matches || (spansSteps ? tail.includes(text) : words.inStep(entry));
      const isHit = matches || saysInWords(world, subject, words);
      const hasMore = hasVisibleChildren(world, subject);
      if (!isHit && !hasMore) continue;
      const here: Open = { subject, step: entry.step, above, tail, matches };
      if (hasMore) open.push(here);
      if (isHit) yield { path: joinSteps(start.path, stepsOf(here)), subject };
    }
    const following = open[next];
    if (following === undefined) return;
    above = following;
    entries = visibleChildren(world, following.subject);
  }
}

function stepsOf(here: Above): string[] {
  const steps: string[] = [];
  for (let at = here; at.above !== null; at = at.above) steps.push(at.step);
  return steps.reverse();
}

/** What the server leaves out of searches, unless it was asked for. */
function excludedSubjects(world: World, startPath: string): ReadonlySet<Subject> {
  const left = new Set<Subject>();
  for (const path of world.config.searchExcludes) {
    const found = isSameOrBelow(startPath, path) ? undefined : world.view.locate(path, world.provider);
    if (found?.kind === "subject") left.add(found.subject.subject);
  }
  return left;
}

interface Words {
  isIn(text: string): boolean;
  /** The same for texts that many subjects share: looked through once. */
  isInShared(text: string): boolean;
  /** For a text that no escaping touches: then the key itself is as good as the printed one. */
  inStep(entry: ChildEntry): boolean;
}

/** Shared texts that were looked through; types have few, and beyond it they are looked through again. */
const MAX_SHARED = 1_000;

function createWords(wanted: string): Words {
  const shared = new Map<string, boolean>();
  const isIn = (text: string): boolean => text.toLowerCase().includes(wanted);

  function isInShared(text: string): boolean {
    const known = shared.get(text);
    if (known !== undefined) return known;
    const found = isIn(text);
    if (shared.size < MAX_SHARED) shared.set(text, found);
    return found;
  }

  return {
    isIn,
    isInShared,
    inStep({ name, key }) {
      if (name !== null && isInShared(name)) return true;
      return typeof key === "string" ? isIn(key) : key !== null && String(key).includes(wanted);
    },
  };
}

/** Titles, descriptions and other text of providers; neither types nor property names, which `types` is for. */
function saysInWords(world: World, subject: Subject, words: Words): boolean {
  const info = world.view.info(subject);
  let isTitled = false;
  const isSaid = world.metadata.saysOf(info, (text, field) => {
    if (field === "$title") {
      isTitled = true;
      return words.isIn(text);
    }
    return !TYPE_NAMES.has(field) && words.isInShared(text);
  });
  return isSaid || (!isTitled && words.isIn(info.title ?? ""));
}
