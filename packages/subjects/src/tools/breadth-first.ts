/** What a walk has to know of a graph. Visibility is decided behind it; a walk never sees what the caller may not. */
export interface Tree<S, B extends Branch<S> = Branch<S>> {
  /** In the order of the definition, of the list, of the map's insertions. */
  children(subject: S): Iterable<B>;
  /** Could this subject be met a second time? Only those are remembered, so that a wide tree costs no memory. */
  isShared(subject: S): boolean;
}

export interface Branch<S> {
  /** The printed step that leads to it: `fan`, `stalls[7]`, or `[7]` below a bare collection. */
  readonly step: string;
  readonly subject: S;
}

export interface Place<S, B extends Branch<S> = Branch<S>> extends Branch<S> {
  /** What the tree said about the way here. */
  readonly via: B;
  /** Null at the first level. */
  readonly parent: Place<S, B> | null;
  readonly level: number;
  /** This subject is already shown at an earlier place, or is the start itself. */
  readonly isRepeat: boolean;
}

export interface WalkStart<S, B extends Branch<S> = Branch<S>> {
  /** Undefined when the walk starts at a bare collection. */
  readonly subject?: S;
  readonly branches: Iterable<B>;
}

/**
 * All of level 1, then all of level 2, and so on; lazily, so that a reader who has enough stops the work. A subject is
 * entered once, at its first and therefore shallowest place. Leaving a subject out takes its subtree with it.
 */
export function* breadthFirst<S, B extends Branch<S> = Branch<S>>(
  tree: Tree<S, B>,
  start: WalkStart<S, B>,
  depth: number,
  leaveOut: (subject: S) => boolean = () => false,
): Generator<Place<S, B>, void, undefined> {
  if (depth <= 0) return;
  const met = new Set<S>();
  if (start.subject !== undefined) met.add(start.subject);
  let level: Place<S, B>[] = [];

  function* enter(branches: Iterable<B>, parent: Place<S, B> | null, next: Place<S, B>[]): Generator<Place<S, B>> {
    const at = parent === null ? 1 : parent.level + 1;
    for (const via of branches) {
      const { step, subject } = via;
      if (leaveOut(subject)) continue;
      const isRepeat = met.has(subject);
      const place: Place<S, B> = { step, subject, via, parent, level: at, isRepeat };
      if (!isRepeat && tree.isShared(subject)) met.add(subject);
      if (!isRepeat && at < depth) next.push(place);
      yield place;
    }
  }

  yield* enter(start.branches, null, level);
  while (level.length > 0) {
    const next: Place<S, B>[] = [];
    for (const place of level) yield* enter(tree.children(place.subject), place, next);
    level = next;
  }
}

/** The steps from the start to a place. */
export function stepsTo(place: Place<unknown>): string[] {
  const steps: string[] = [];
  for (let at: Place<unknown> | null = place; at !== null; at = at.parent) steps.push(at.step);
  return steps.reverse();
}

/** `climate` + `fan` is `climate/fan`; a step that begins with a bracket belongs to the collection before it. */
export function joinSteps(base: string, steps: readonly string[]): string {
  let joined = base;
  for (const step of steps) joined += joined === "" || joined.endsWith("/") || step.startsWith("[") ? step : `/${step}`;
  return joined;
}

export function isAt(place: Place<unknown>, steps: readonly string[]): boolean {
  if (place.level !== steps.length) return false;
  let at: Place<unknown> | null = place;
  for (let i = steps.length - 1; i >= 0; i--) {
    if (at === null || at.step !== steps[i]) return false;
    at = at.parent;
  }
  return true;
}
