import type { Log } from "@steading/kernel";
import { CHECK, CLEAN, DIRTY, extraOf, RUNNING, type Computation, type Link, type Node } from "../instance/node.ts";
import { isSame } from "../instance/slot-access.ts";
import { normaliseChildren } from "../instance/child-value.ts";
import { subjectError } from "../subject-error.ts";
import { tracking, unlink } from "./tracking.ts";
import { valueAt } from "../instance/stored-value.ts";

/** A link whose source is gone. */
const DEAD = -1;
/** Distinct messages of one getter that are logged before it is taken for granted that it fails. */
const MAX_COMPLAINTS = 20;

export interface DerivedDeps {
  readonly log: Log;
  /** Stores the value that a getter gave, with everything that follows from it. */
  readonly store: (computation: Computation, old: unknown, value: unknown) => void;
  /** The same for a value that is told at once, with nothing else under way. */
  readonly storeAlone: (computation: Computation, old: unknown, value: unknown) => void;
  /** Around a getter that runs alone: what it may write must wait. */
  readonly enter: () => void;
  readonly leave: () => void;
  /** Does anybody want to hear of changes as they happen? */
  readonly isObserved: (computation: Computation) => boolean;
  /** The getter began to fail, or works again. */
  readonly failing: (computation: Computation, isFailing: boolean) => void;
  /** Something that a derived property read is read no more; the subject may feed no other either. */
  readonly fedNoMore: (node: Node) => void;
}

/** Keeps derived properties right: each once per batch, in the order of their dependencies, and only if somebody looks. */
export interface DerivedEngine {
  readonly hasWork: boolean;
  /** Gives an attached subject the live side of its derived slots. */
  attach(node: Node, slot: number): Computation;
  /** Cuts every tie of these subjects, in both directions. */
  detach(nodes: ReadonlySet<Node>): void;
  detachSlot(node: Node, slot: number): void;
  /** The slot that these links come from was written. */
  mark(links: readonly Link[], at: number): void;
  /** Asks for a new evaluation whose reasons lie outside the graph. */
  invalidate(computation: Computation, at: number): void;
  refresh(computation: Computation): void;
  /**
   * Evaluates at once what reads plain values alone, is read by nobody and has somebody to tell; false when it is not as
   * simple as that. Only for a write outside of everything else that is going on.
   */
  runAlone(computation: Computation, at: number): boolean;
  run(): void;
  /** From here on everything is observed: what was left stale has to catch up first. */
  catchUp(): void;
}

export function createDerivedEngine(deps: DerivedDeps): DerivedEngine {
  const { log, store, storeAlone, enter, leave, isObserved, failing, fedNoMore } = deps;
  const queue: Computation[] = [];
  const stale = new Set<Computation>();
  const running: Computation[] = [];
  let lastStamp = 0;

  function raise(computation: Computation, level: number, at: number): void {
    if (!raiseOne(computation, level, at) || linksOf(computation) === undefined) return;
    const due = [computation];
    for (let i = 0; i < due.length; i++) {
      const links = linksOf(due[i] ?? computation);
      if (links !== undefined) for (const { to } of links) if (raiseOne(to, CHECK, at)) due.push(to);
    }
  }

  /** Answers whether it was clean before, so that what depends on it has to be told. */
  function raiseOne(computation: Computation, level: number, at: number): boolean {
    const was = computation.state;
    if (was === RUNNING) return false;
    if (was < level) computation.state = level;
    note(computation, at);
    return was === CLEAN;
  }

  function note(computation: Computation, at: number): void {
    computation.triggeredAt = at;
    if (computation.queued) return;
    if (isObserved(computation)) {
      computation.queued = true;
      queue.push(computation);
    } else if (!computation.isStale) {
      computation.isStale = true;
      stale.add(computation);
    }
  }

  function isFresh(computation: Computation): void {
    if (!computation.isStale) return;
    computation.isStale = false;
    stale.delete(computation);
  }

  /** Settles what it depends on first, without recursion: chains of derived values may be thousands long. */
  function refresh(wanted: Computation): void {
    if (wanted.state === RUNNING) return reportLoop(wanted);
    if (wanted.state === DIRTY && !wanted.readsDerived) return evaluate(wanted);
    wanted.cursor = 0;
    if (wanted.state === DIRTY && nextUnsettled(wanted) === undefined) return evaluate(wanted);
    const stack = [wanted];
    wanted.cursor = 0;
    wanted.isWaiting = true;
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const before = top.state === CHECK || top.state === DIRTY ? nextUnsettled(top) : undefined;
      if (before !== undefined) {
        if (before.isWaiting) {
          top.state = DIRTY; // a loop, going by the old links: only evaluating can tell whether it still is one
          continue;
        }
        before.cursor = 0;
        before.isWaiting = true;
        stack.push(before);
        continue;
      }
      stack.pop();
      top.isWaiting = false;
      if (top.state === CHECK) settle(top);
      else if (top.state === DIRTY) evaluate(top);
    }
  }

  function nextUnsettled(computation: Computation): Computation | undefined {
    while (computation.cursor < computation.links.length) {
      const link = computation.links[computation.cursor++];
      const before = link?.from.extra?.computations?.[link.slot];
      if (before !== undefined && (before.state === CHECK || before.state === DIRTY)) return before;
    }
    return undefined;
  }

  function settle(computation: Computation): void {
    computation.state = CLEAN;
    isFresh(computation);
  }

  function reportLoop(computation: Computation): void {
    const from = running.indexOf(computation);
    const members = running.slice(from);
    for (const member of members) member.looped = true;
    const names = [...members, computation].map(
      ({ node, slot }) => `${node.layout.type.name}.${node.layout.slot(slot).name}`,
    );
    throw subjectError("DEFINITION_ERROR", `Derived properties depend on each other in a loop: ${names.join(" → ")}.`);
  }

  /** What the getter that ran last gave. */
  let isOk = false;
  let value: unknown;
  let error: unknown;

  function evaluate(computation: Computation): void {
    compute(computation);
    conclude(computation, store);
  }

  function compute(computation: Computation): void {
    const { node, slot } = computation;
    const declared = node.layout.slot(slot);
    const { recorder: outer, overlay } = tracking;
    isFresh(computation);
    computation.state = RUNNING;
    computation.cursor = 0;
    computation.looped = false;
    computation.stamp = ++lastStamp;
    running.push(computation);
    tracking.recorder = computation;
    tracking.overlay = null;
    let given: unknown;
    let thrown: unknown;
    let isGiven = false;
    try {
      given = declared.get?.(node.subject);
      if (declared.shape !== undefined)
        given = normaliseChildren(node, declared, given ?? emptied(declared.shape), node.values[slot]);
      isGiven = true;
    } catch (cause) {
      thrown = cause;
    }
    tracking.recorder = outer;
    tracking.overlay = overlay;
    running.pop();
    dropUnread(computation);
    computation.state = CLEAN;
    isOk = isGiven && !computation.looped;
    value = given ?? null;
    error = thrown;
  }

  function conclude(computation: Computation, put: DerivedDeps["store"]): void {
    const { node, slot } = computation;
    const isGood = isOk;
    const given = value;
    value = undefined;
    if (!isGood) complain(computation, error);
    if (computation.failed === isGood) {
      computation.failed = !isGood;
      failing(computation, !isGood);
    }
    const old = valueAt(node, slot);
    const result = isGood ? given : computation.looped ? null : old;
    if (isSame(node.layout.slot(slot), old, result)) return;
    put(computation, old, result);
    const links = linksOf(computation);
    if (links === undefined) return;
    for (const { to } of links) {
      if (to.state === CHECK) to.state = DIRTY;
      else if (to.state === CLEAN) raise(to, DIRTY, computation.triggeredAt);
    }
  }

  function complain(computation: Computation, error: unknown): void {
    const complaints = (computation.complaints ??= new Set());
    const message = error instanceof Error ? error.message : "derived properties depend on each other in a loop";
    if (complaints.has(message) || complaints.size >= MAX_COMPLAINTS) return;
    complaints.add(message);
    const { node, slot } = computation;
    const where = `${node.layout.type.name}.${node.layout.slot(slot).name}`;
    log.error("A derived property could not be computed; it keeps its last good value.", error, { property: where });
  }

  function dropUnread(computation: Computation): void {
    const { links, stamp, cursor } = computation;
    if (cursor === links.length) return; // read exactly what it read last time
    computation.links = links.filter((link) => {
      if (link.stamp === stamp) return true;
      if (link.stamp !== DEAD) release(link);
      return false;
    });
  }

  function release(link: Link): void {
    unlink(link);
    fedNoMore(link.from);
  }

  /** Cuts the ties of one slot; the links of those who read it are left to `forget`. */
  function cut(node: Node, slot: number, orphaned: Link[]): void {
    const { extra } = node;
    if (extra === null) return;
    const computation = extra.computations?.[slot];
    if (computation !== undefined && extra.computations !== null) {
      for (const link of computation.links) if (link.stamp !== DEAD) release(link);
      computation.links = [];
      isFresh(computation);
      extra.computations[slot] = undefined;
    }
    const outgoing = extra.links?.[slot];
    if (outgoing === undefined || extra.links === null) return;
    extra.links[slot] = undefined;
    orphaned.push(...outgoing);
  }

  /** The sources of these links are gone. Their readers lose them and have to look again. */
  function forget(links: readonly Link[], leaving?: ReadonlySet<Node>): void {
    const readers = new Set<Computation>();
    for (const link of links) {
      link.stamp = DEAD;
      readers.add(link.to);
    }
    for (const reader of readers) {
      reader.links = reader.links.filter((link) => link.stamp !== DEAD);
      if (reader.node.core !== null && leaving?.has(reader.node) !== true) raise(reader, DIRTY, reader.triggeredAt);
    }
  }

  return {
    get hasWork() {
      return queue.length > 0;
    },
    attach(node, slot) {
      const computation: Computation = {
        node,
        slot,
        state: DIRTY,
        links: [],
        cursor: 0,
        stamp: 0,
        queued: false,
        isStale: false,
        readsDerived: false,
        failed: false,
        looped: false,
        isWaiting: false,
        complaints: null,
        triggeredAt: 0,
      };
      const extra = extraOf(node);
      (extra.computations ??= [])[slot] = computation;
      return computation;
    },
    detach(nodes) {
      const orphaned: Link[] = [];
      for (const node of nodes) {
        if (node.extra === null) continue;
        const slots = Math.max(node.extra.computations?.length ?? 0, node.extra.links?.length ?? 0);
        for (let slot = 0; slot < slots; slot++) cut(node, slot, orphaned);
        node.extra.computations = null;
        node.extra.links = null;
      }
      forget(orphaned, nodes);
    },
    detachSlot(node, slot) {
      const orphaned: Link[] = [];
      cut(node, slot, orphaned);
      forget(orphaned);
    },
    mark(links, at) {
      for (const { to } of links) raise(to, DIRTY, at);
    },
    invalidate: (computation, at) => raise(computation, DIRTY, at),
    refresh,
    runAlone(computation, at) {
      if (computation.state !== CLEAN || computation.readsDerived || computation.queued) return false;
      if (linksOf(computation) !== undefined || !isObserved(computation)) return false;
      if (computation.node.layout.slot(computation.slot).shape !== undefined) return false;
      computation.triggeredAt = at;
      enter();
      compute(computation);
      leave();
      conclude(computation, storeAlone);
      return true;
    },
    run() {
      // What one of them raises joins the end of the same queue.
      for (let i = 0; i < queue.length; i++) {
        const computation = queue[i];
        if (computation === undefined) break;
        computation.queued = false;
        if (computation.node.core !== null && computation.state !== CLEAN) refresh(computation);
      }
      if (queue.length > 8) queue.length = 0;
      while (queue.length > 0) queue.pop();
    },
    catchUp() {
      for (const computation of [...stale]) {
        computation.isStale = false;
        if (computation.node.core !== null) refresh(computation);
      }
      stale.clear();
    },
  };
}

function linksOf({ node: { extra }, slot }: Computation): readonly Link[] | undefined {
  return extra === null || extra.links === null ? undefined : extra.links[slot];
}

function emptied(shape: "one" | "list" | "map"): unknown {
  return shape === "one" ? null : shape === "list" ? [] : new Map();
}
