import type { Log } from "@steading/kernel";
import { eachChild, emptyChildren } from "../instance/child-value.ts";
import { isSubject, nodeOf } from "../instance/held.ts";
import { DEPARTING, ROOT, SHUT, type Core, type Node } from "../instance/node.ts";
import type { Subject } from "../instance/subject.ts";
import { subjectError } from "../subject-error.ts";
import type { LifecycleEvent } from "./change.ts";
import { diffChildren, type ChildDiff } from "./child-diff.ts";
import { addParent, cutParent, dropParents, findParent, setParentKey, type GoneParent } from "./parents.ts";
import { collectLost, createReach } from "./reachability.ts";
import type { RegistryIndex } from "./registry-index.ts";

export interface LifecycleDeps {
  readonly core: Core;
  readonly index: RegistryIndex;
  readonly log: Log;
  /** The subjects are registered and their parents known: initialisers, derived values. */
  readonly attached: (nodes: readonly Node[]) => void;
  /** Takes away everything else that points at them: derived links, claims, pending changes. */
  readonly removed: (nodes: ReadonlySet<Node>) => void;
  readonly structureChanged: () => void;
  /** Who refers to this subject is about to change. */
  readonly parentsChanging: (node: Node) => void;
  /** Queued until the batch ends; `detach` events are told while the graph is still whole. */
  readonly tell: (event: LifecycleEvent) => void;
}

type Key = string | number | null;

/** Follows the graph: who is reachable, through whom, and what that means for hooks, registry and events. */
export interface Lifecycle {
  readonly hasWork: boolean;
  /** While the departing are told of it, their references still show. */
  readonly showsCut: boolean;
  attachRoot(node: Node): void;
  releaseRoot(node: Node): void;
  /** Throws, before anything changes, when a subject in the value or below it cannot become part of this graph. */
  check(value: unknown): void;
  apply(node: Node, slot: number, old: unknown, value: unknown): void;
  applyOne(node: Node, slot: number, key: string, old: Subject | undefined, value: Subject | undefined): void;
  /** Decides about everything that lost a reference. */
  settle(): void;
  /** Events of what was attached or moved since last time. */
  tellQueued(): void;
}

export function createLifecycle({
  core,
  index,
  log,
  attached,
  removed,
  structureChanged,
  parentsChanging,
  tell,
}: LifecycleDeps): Lifecycle {
  let losers = new Set<Node>();
  let events: LifecycleEvent[] = [];
  let showsCut = false;
  /** Grows with every change of structure, so that one made by a handler is noticed. */
  let moves = 0;

  /** One that is here already, or a leaf that comes from nowhere: nothing below it to look at. */
  function isEasy(node: Node): boolean {
    if (node.core === core) return true;
    if (node.core !== null || node.layout.childSlots.length > 0) return false;
    index.know(node.layout.type);
    return true;
  }

  function join(subject: Subject, seen: Set<Node>, stack: Node[]): void {
    const node = nodeOf(subject);
    if (node.core === core || seen.has(node)) return;
    if (node.core !== null)
      throw subjectError("GRAPH_MISMATCH", `${subject.$type} belongs to another graph; detach it there first.`);
    index.know(node.layout.type);
    seen.add(node);
    stack.push(node);
  }

  function applyDiff(node: Node, slot: number, { added, removed: gone, rekeyed }: ChildDiff): void {
    // All references are found before any key changes: two occurrences of one child may swap theirs.
    const found = rekeyed.map(([child, from]) => findParent(nodeOf(child), node, slot, from));
    for (const [child] of rekeyed) parentsChanging(nodeOf(child));
    rekeyed.forEach(([child, , to], i) => setParentKey(nodeOf(child), found[i] ?? -1, to));
    for (const [child, key] of gone) cut(nodeOf(child), node, slot, key);
    const fresh: Node[] = [];
    for (const [child, key] of added) refer(nodeOf(child), node, slot, key, fresh);
    moves += 1;
    if (added.length > 0 || gone.length > 0 || rekeyed.length > 0) structureChanged();
    if (fresh.length > 0) introduce(fresh);
  }

  function cut(child: Node, parent: Node, slot: number, key: Key): void {
    if (child.core !== core) return;
    parentsChanging(child);
    if (cutParent(child, parent, slot, key)) losers.add(child);
  }

  /** Records a reference; a subject that was not attached is registered with everything below it. */
  function refer(child: Node, parent: Node, slot: number, key: Key, fresh: Node[]): void {
    parentsChanging(child);
    addParent(child, parent, slot, key);
    if (child.core === core) {
      events.push(event(child, { referenceAdded: true }, parent, slot, key));
      return;
    }
    const stack = [child];
    register(child, fresh);
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      const found: Node[] = [];
      for (const childSlot of node.layout.childSlots) {
        if (node.layout.slot(childSlot).get !== undefined) continue;
        const holder = node;
        eachChild(node.values[childSlot], (subject, childKey) => {
          const below = nodeOf(subject);
          parentsChanging(below);
          addParent(below, holder, childSlot, childKey);
          if (below.core === core) events.push(event(below, { referenceAdded: true }, holder, childSlot, childKey));
          else {
            register(below, fresh);
            found.push(below);
          }
        });
      }
      // Last in, first out: reversed, so that siblings come in their own order.
      stack.push(...found.reverse());
    }
  }

  function register(node: Node, fresh: Node[]): void {
    node.core = core;
    index.add(node);
    fresh.push(node);
  }

  function introduce(fresh: readonly Node[]): void {
    for (const node of fresh) runHook(node.layout.type.onAttach, node);
    attached(fresh.filter((node) => node.core === core));
    for (const node of fresh) {
      const flags = { contextAttach: true, referenceAdded: node.parent !== null };
      events.push(event(node, flags, node.parent, node.parentSlot, node.parentKey));
    }
  }

  function runHook(hook: ((subject: Subject) => void) | undefined, node: Node): void {
    try {
      hook?.(node.subject);
    } catch (error) {
      log.error("A hook of a subject type failed.", error, { type: node.layout.type.name });
    }
  }

  function settle(): void {
    while (losers.size > 0) {
      const candidates = losers;
      losers = new Set();
      const lost = lostAmong(candidates);
      if (lost.size > 0) depart(lost, candidates);
      for (const node of candidates) if (node.core === core) dropCut(node);
      structureChanged();
    }
  }

  function lostAmong(candidates: ReadonlySet<Node>): Set<Node> {
    const reach = createReach();
    for (const node of candidates) if (node.core === core) collectLost(node, reach);
    return reach.lost;
  }

  function dropCut(node: Node): void {
    for (const ref of dropParents(node, (_, isCut) => isCut)) gone(node, ref);
  }

  function gone(node: Node, { node: parent, slot, key }: GoneParent): void {
    events.push(event(node, { referenceRemoved: true }, parent, slot, key));
  }

  function depart(lost: ReadonlySet<Node>, candidates: ReadonlySet<Node>): void {
    const before = moves;
    showsCut = true;
    structureChanged();
    for (const node of lost) node.flags |= DEPARTING;
    for (const node of lost) {
      tell(
        event(
          node,
          { contextDetach: true, referenceRemoved: node.parent !== null },
          node.parent,
          node.parentSlot,
          node.parentKey,
        ),
      );
    }
    for (const node of [...lost].reverse()) runHook(node.layout.type.onDetach, node);
    showsCut = false;
    for (const node of lost) node.flags &= ~DEPARTING;
    // A handler or hook may have given some of them a place again.
    const really = moves === before ? lost : lostAmong(candidates);
    remove(really);
  }

  function remove(lost: ReadonlySet<Node>): void {
    removed(lost);
    for (const node of lost) {
      for (const slot of node.layout.childSlots) {
        eachChild(node.values[slot], (subject) => {
          const child = nodeOf(subject);
          if (child.core !== core || lost.has(child)) return;
          parentsChanging(child);
          for (const ref of dropParents(child, (parent) => parent === node)) gone(child, ref);
        });
      }
      parentsChanging(node);
      dropParents(node, () => true);
      for (const slot of node.layout.derivedSlots) forgetDerivedChildren(node, slot);
      index.remove(node);
      node.core = null;
      node.pulse = SHUT;
      node.paths = null;
    }
  }

  /** They were referred to only because somebody computed them; nobody does any more. */
  function forgetDerivedChildren(node: Node, slot: number): void {
    const { shape } = node.layout.slot(slot);
    if (shape !== undefined) node.values[slot] = emptyChildren(shape);
  }

  function event(
    node: Node,
    flags: Partial<LifecycleEvent>,
    parent: Node | null,
    slot: number,
    key: Key,
  ): LifecycleEvent {
    return {
      subject: node.subject,
      contextAttach: false,
      contextDetach: false,
      referenceAdded: false,
      referenceRemoved: false,
      parent: parent?.subject ?? null,
      property: parent?.layout.slots[slot]?.name ?? null,
      key: parent === null ? null : key,
      ...flags,
    };
  }

  return {
    get hasWork() {
      return losers.size > 0 || events.length > 0;
    },
    get showsCut() {
      return showsCut;
    },
    attachRoot(node) {
      node.flags |= ROOT;
      if (node.core === core) return;
      const fresh: Node[] = [];
      register(node, fresh);
      for (const slot of node.layout.childSlots) {
        if (node.layout.slot(slot).get !== undefined) continue;
        eachChild(node.values[slot], (subject, key) => refer(nodeOf(subject), node, slot, key, fresh));
      }
      structureChanged();
      introduce(fresh);
    },
    releaseRoot(node) {
      node.flags &= ~ROOT;
      losers.add(node);
    },
    check(value) {
      if (isSubject(value) && isEasy(nodeOf(value))) return;
      const seen = new Set<Node>();
      const stack: Node[] = [];
      eachChild(value, (subject) => join(subject, seen, stack));
      for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
        for (const slot of node.layout.childSlots) {
          if (node.layout.slot(slot).get === undefined)
            eachChild(node.values[slot], (subject) => join(subject, seen, stack));
        }
      }
    },
    apply: (node, slot, old, value) => applyDiff(node, slot, diffChildren(old, value)),
    applyOne(node, slot, key, old, value) {
      applyDiff(node, slot, {
        removed: old === undefined ? [] : [[old, key]],
        added: value === undefined ? [] : [[value, key]],
        rekeyed: [],
      });
    },
    settle,
    tellQueued() {
      if (events.length === 0) return;
      const due = events;
      events = [];
      for (const each of due) tell(each);
    },
  };
}
