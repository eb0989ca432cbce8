import type { Clock, Log } from "@steading/kernel";
import { createDerivedEngine, type DerivedEngine } from "../derived/derived-engine.ts";
import { NodeInfo } from "../info/node-info.ts";
import { qualityOfValue } from "../info/quality-of.ts";
import type { Quality } from "../info/quality.ts";
import type { Reading } from "../info/reading.ts";
import { emptyStanding, setTimes } from "../info/standing.ts";
import type { SubjectInfo } from "../info/subject-info.ts";
import { ChildMap } from "../instance/child-map.ts";
import { CLEAN, DELIVERING, DEPARTING, Pulse, SHUT, type Computation, type Core, type Node } from "../instance/node.ts";
import { checkedValue, isSame } from "../instance/slot-access.ts";
import { putValue, valueAt } from "../instance/stored-value.ts";
import type { Subject } from "../instance/subject.ts";
import type { LifecycleEvent, Origin } from "./change.ts";
import { createDelivery, type Delivery } from "./delivery.ts";
import { createLifecycle, type Lifecycle } from "./lifecycle.ts";
import { createPipeline, type Pipeline } from "./pipeline.ts";
import { createRegistryIndex, type RegistryIndex } from "./registry-index.ts";
import type { WriteInProgress } from "./stage.ts";
import { createTickingTime, type TickingTime } from "./ticking-time.ts";

/** Told of a value before it is replaced: captures and open transactions. */
export interface Keeper {
  keep(node: Node, slot: number, old: unknown): void;
  /** Its layout, or what is known about its values' times and quality, is about to change. */
  keepRest?(node: Node): void;
  keepParents?(node: Node): void;
  /** It leaves the graph: from here on its values change without anybody being told. */
  keepWhole?(node: Node): void;
}

export interface Commit {
  readonly origin: Origin;
  readonly changedAt?: number | undefined;
  readonly outside?: boolean;
  /** The quality changed along with the value. */
  readonly requalified?: boolean;
}

const LOCAL: Commit = { origin: "local" };

export interface EngineDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly graph: object;
  readonly reading: Reading;
  readonly pathOf: (node: Node) => string | null;
  /** Runs for subjects that were attached, before their derived values. */
  readonly initialise: (nodes: readonly Node[]) => void;
  /** Takes away what others keep about subjects that were detached. */
  readonly release: (nodes: ReadonlySet<Node>) => void;
  readonly structureEvent: (event: LifecycleEvent) => void;
  /** A derived property's getter began to throw, or works again. */
  readonly failing: (computation: Computation, isFailing: boolean) => void;
}

/** The moving parts of one graph, joined: what a write sets in motion. */
export class Engine implements Core {
  readonly graph: object;
  readonly pulse: Pulse;
  readonly time: TickingTime;
  readonly index: RegistryIndex;
  readonly lifecycle: Lifecycle;
  readonly derived: DerivedEngine;
  readonly delivery: Delivery;
  readonly pipeline: Pipeline;
  readonly reading: Reading;
  readonly log: Log;
  structureRevision = 0;
  readonly #deps: EngineDeps;
  readonly #keepers = new Set<Keeper>();

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.graph = deps.graph;
    this.reading = deps.reading;
    this.log = deps.log;
    this.pulse = new Pulse(this);
    this.time = createTickingTime(deps.clock);
    this.index = createRegistryIndex(deps.log);
    this.pipeline = createPipeline((isPlain) => {
      this.pulse.closed += isPlain ? -1 : 1;
    });
    this.derived = createDerivedEngine({
      log: deps.log,
      store: (computation, old, value) => this.#storeDerived(computation, old, value, false),
      storeAlone: (computation, old, value) => this.#storeDerived(computation, old, value, true),
      enter: () => void (this.pulse.closed += DELIVERING),
      leave: () => void (this.pulse.closed -= DELIVERING),
      isObserved: (computation) => this.#isObserved(computation),
      failing: (computation, isFailing) => deps.failing(computation, isFailing),
      fedNoMore: (node) => this.refreshPulse(node),
    });
    this.lifecycle = createLifecycle({
      core: this,
      index: this.index,
      log: deps.log,
      attached: (nodes) => this.#attached(nodes),
      removed: (nodes) => this.#removed(nodes),
      structureChanged: () => void (this.structureRevision += 1),
      parentsChanging: (node) => this.#parentsChanging(node),
      tell: (event) => {
        this.delivery.tellLifecycle(event);
        deps.structureEvent(event);
      },
    });
    this.delivery = createDelivery({
      pulse: this.pulse,
      log: deps.log,
      settle: () => this.#settle(),
      observed: () => this.derived.catchUp(),
    });
  }

  /** The quick way is open to subjects that feed nobody and whose values have no owner. */
  refreshPulse(node: Node): void {
    const feeds = node.extra?.links?.some((links) => links !== undefined && links.length > 0) === true;
    node.pulse = node.core === this && !feeds && node.standing === null ? this.pulse : SHUT;
  }

  addKeeper(keeper: Keeper): () => void {
    this.#keepers.add(keeper);
    this.pulse.closed += 1;
    return () => {
      if (this.#keepers.delete(keeper)) this.pulse.closed -= 1;
    };
  }

  #parentsChanging(node: Node): void {
    if (this.#keepers.size > 0) for (const keeper of this.#keepers) keeper.keepParents?.(node);
  }

  keepStanding(node: Node): void {
    if (this.#keepers.size === 0) return;
    for (const keeper of this.#keepers) keeper.keepRest?.(node);
  }

  write(node: Node, slot: number, value: unknown): void {
    this.commit(node, slot, value, LOCAL);
  }

  putChild(node: Node, slot: number, key: string, child: Subject | undefined): void {
    const present = node.values[slot];
    const map = present instanceof ChildMap ? present : ChildMap.EMPTY;
    // With keepers about, or an extension that may look, the old map must stay readable for long: copy instead.
    if (!this.pipeline.isPlain || this.#keepers.size > 0) {
      const table = new Map(ChildMap.peek(map));
      if (child === undefined) table.delete(key);
      else table.set(key, child);
      this.commit(node, slot, new ChildMap(table), LOCAL);
      return;
    }
    const old = map.get(key);
    if (child !== undefined) this.lifecycle.check(child);
    this.delivery.checkDepth(node, slot);
    const changed = ChildMap.changed(map, key, child);
    this.#store(node, slot, map, changed, LOCAL, () => this.lifecycle.applyOne(node, slot, key, old, child));
  }

  /** One write on its way through all stages. The value is checked; it may still prove equal. */
  commit(node: Node, slot: number, given: unknown, commit: Commit): void {
    const declared = node.layout.slot(slot);
    let value = given;
    const write = this.pipeline.isPlain ? undefined : this.#inProgress(node, slot, value, commit);
    if (write !== undefined) {
      for (const stage of ["coerce", "equality", "validate", "authorise", "capture"] as const) {
        this.pipeline.run(stage, "before", write);
        if (stage === "equality" && isSame(declared, valueAt(node, slot), write.value)) return;
        if (stage === "validate" && declared.shape === undefined && write.value !== given && write.value !== null)
          write.value = checkedValue(node, declared, write.value);
        this.pipeline.run(stage, "after", write);
      }
      value = write.value;
    }
    const old = valueAt(node, slot);
    if (isSame(declared, old, value)) return;
    if (write === undefined && declared.shape === undefined) return this.#storeValue(node, slot, old, value, commit);
    if (declared.shape !== undefined) this.lifecycle.check(value);
    this.delivery.checkDepth(node, slot);
    const structure = declared.shape === undefined ? undefined : () => this.lifecycle.apply(node, slot, old, value);
    // A value altered on the way in is no longer what the source sent: the correction has to flow back.
    const final =
      write !== undefined && !isSame(declared, given, value) ? { ...commit, origin: "local" as const } : commit;
    this.#store(node, slot, old, value, final, structure, write);
  }

  /** The usual write: a plain value that nobody extends. No code of others runs before it is told. */
  #storeValue(node: Node, slot: number, old: unknown, value: unknown, commit: Commit): void {
    const { origin, changedAt, outside, requalified = false } = commit;
    if (node.core !== this || (node.flags & DEPARTING) !== 0) {
      putValue(node, slot, value);
      return;
    }
    this.delivery.checkDepth(node, slot);
    if (outside === true) node.standing ??= emptyStanding(node.layout.slots.length);
    if (this.#keepers.size > 0) for (const keeper of this.#keepers) keeper.keep(node, slot, old);
    putValue(node, slot, value);
    this.pulse.revision += 1;
    const receivedAt = this.time.now();
    const at = changedAt ?? receivedAt;
    this.#stamp(node, slot, at, receivedAt);
    const links = node.extra === null || node.extra.links === null ? undefined : node.extra.links[slot];
    const { isIdle } = this.delivery;
    if (links === undefined && isIdle) {
      if (this.#isWatched(node, slot)) {
        const quality = this.#quality(node, slot, value);
        this.delivery.tellNow(node, slot, old, value, quality, origin, at, receivedAt);
      }
      return;
    }
    const isWatched = this.#isWatched(node, slot);
    if (links !== undefined) {
      const only = isIdle && !isWatched && links.length === 1 ? links[0] : undefined;
      if (only !== undefined && this.derived.runAlone(only.to, at)) {
        if (this.pulse.waiting) this.delivery.flush();
        return;
      }
      this.derived.mark(links, at);
    }
    if (isWatched) this.#enqueue(node, slot, old, value, requalified, origin, at, receivedAt);
    if (isIdle) this.delivery.flush();
  }

  /** A value is as it was, and is worth more or less than before. */
  requalify(node: Node, slot: number, { origin, changedAt }: Commit): void {
    this.pulse.revision += 1;
    if (!this.#isWatched(node, slot)) return;
    const value = valueAt(node, slot);
    const receivedAt = this.time.now();
    this.#enqueue(node, slot, value, value, true, origin, changedAt ?? receivedAt, receivedAt);
    this.delivery.flush();
  }

  #enqueue(
    node: Node,
    slot: number,
    old: unknown,
    value: unknown,
    isRequalified: boolean,
    origin: Origin,
    changedAt: number,
    receivedAt: number,
  ): void {
    const quality = this.#quality(node, slot, value);
    this.delivery.enqueue(node, slot, old, value, quality, isRequalified, origin, changedAt, receivedAt);
  }

  /** Asked at the moment of the write: when it is told, something else may be true. */
  #quality(node: Node, slot: number, value: unknown): Quality | "error" {
    if (!this.delivery.isObserved) return "good"; // listeners are not told of it
    const declared = node.layout.slot(slot);
    if (declared.get !== undefined && this.reading.failed(node, slot)) return "error";
    return qualityOfValue(declared, slot, value, node.standing, this.reading);
  }

  /** A dynamic property came into being: told as a change from nothing. */
  introduce(node: Node, slot: number, value: unknown): void {
    putValue(node, slot, value);
    this.pulse.revision += 1;
    const at = this.time.now();
    if (!this.#isWatched(node, slot)) return;
    this.#enqueue(node, slot, undefined, value, false, "local", at, at);
    this.delivery.flush();
  }

  #inProgress(node: Node, slot: number, value: unknown, { origin, outside = false }: Commit): WriteInProgress {
    return {
      subject: node.subject,
      property: node.layout.slot(slot).name,
      old: valueAt(node, slot),
      value,
      origin,
      outside,
    };
  }

  #store(
    node: Node,
    slot: number,
    old: unknown,
    value: unknown,
    { origin, changedAt, outside, requalified = false }: Commit,
    structure?: () => void,
    write?: WriteInProgress,
  ): void {
    if (node.core !== this || (node.flags & DEPARTING) !== 0) {
      putValue(node, slot, value);
      return;
    }
    if (outside === true) node.standing ??= emptyStanding(node.layout.slots.length);
    this.delivery.open();
    try {
      if (write !== undefined) this.pipeline.run("store", "before", write);
      if (this.#keepers.size > 0) for (const keeper of this.#keepers) keeper.keep(node, slot, old);
      putValue(node, slot, value);
      this.pulse.revision += 1;
      const receivedAt = this.time.now();
      const at = changedAt ?? receivedAt;
      this.#stamp(node, slot, at, receivedAt);
      if (write !== undefined) this.pipeline.run("store", "after", write);
      if (write !== undefined) this.pipeline.run("lifecycle", "before", write);
      structure?.();
      if (write !== undefined) this.pipeline.run("lifecycle", "after", write);
      if (write !== undefined) this.pipeline.run("derived", "before", write);
      const links = node.extra?.links?.[slot];
      if (links !== undefined) this.derived.mark(links, at);
      if (write !== undefined) this.pipeline.run("derived", "after", write);
      if (write !== undefined) this.pipeline.run("notify", "before", write);
      if (this.#isWatched(node, slot)) this.#enqueue(node, slot, old, value, requalified, origin, at, receivedAt);
    } finally {
      this.delivery.close();
    }
    if (write !== undefined) this.pipeline.run("notify", "after", write);
  }

  /** Where somebody looks at changes, or an owner keeps values right, it is also known when they changed. */
  #stamp(node: Node, slot: number, changedAt: number, receivedAt: number): void {
    if (node.standing === null) {
      if (!this.delivery.isObserved) return;
      node.standing = emptyStanding(node.layout.slots.length);
      this.refreshPulse(node);
    }
    setTimes(node.standing, slot, changedAt, receivedAt);
  }

  #isWatched(node: Node, slot: number): boolean {
    if (this.delivery.isObserved) return true;
    const { listeners } = node;
    return listeners !== null && (listeners[slot] ?? null) !== null;
  }

  #storeDerived({ node, slot, triggeredAt }: Computation, old: unknown, value: unknown, isAlone: boolean): void {
    if (this.#keepers.size > 0) for (const keeper of this.#keepers) keeper.keep(node, slot, old);
    putValue(node, slot, value);
    this.pulse.revision += 1;
    if (node.layout.slot(slot).shape !== undefined) {
      this.lifecycle.check(value);
      this.lifecycle.apply(node, slot, old, value);
    }
    if (!this.#isWatched(node, slot)) return;
    if (isAlone) {
      const quality = this.#quality(node, slot, value);
      this.delivery.tellNow(node, slot, old, value, quality, "local", triggeredAt, this.time.now());
    } else this.#enqueue(node, slot, old, value, false, "local", triggeredAt, this.time.now());
  }

  #isObserved({ node, slot }: Computation): boolean {
    return this.#isWatched(node, slot) || node.layout.slots[slot]?.shape !== undefined;
  }

  #settle(): boolean {
    const hasStructure = this.lifecycle.hasWork;
    if (!hasStructure && !this.derived.hasWork) return false;
    if (hasStructure) {
      this.lifecycle.tellQueued();
      this.lifecycle.settle();
    }
    this.derived.run();
    return true;
  }

  #attached(nodes: readonly Node[]): void {
    for (const node of nodes) this.refreshPulse(node);
    this.#deps.initialise(nodes);
    // Deepest first, so that a value computed from children finds theirs ready, however long the chain.
    for (let i = nodes.length - 1; i >= 0; i--) {
      const node = nodes[i];
      if (node === undefined || node.core !== this) continue;
      for (const slot of node.layout.derivedSlots) {
        if (node.extra?.computations?.[slot] === undefined) this.derived.attach(node, slot);
      }
    }
    for (let i = nodes.length - 1; i >= 0; i--) {
      for (const computation of nodes[i]?.extra?.computations ?? []) {
        if (computation === undefined) continue;
        computation.triggeredAt = this.time.now();
        if (computation.state !== CLEAN) this.derived.refresh(computation);
      }
    }
  }

  #removed(nodes: ReadonlySet<Node>): void {
    for (const keeper of this.#keepers) for (const node of nodes) keeper.keepWhole?.(node);
    this.derived.detach(nodes);
    this.delivery.forget(nodes);
    this.#deps.release(nodes);
  }

  refresh(computation: Computation): void {
    this.derived.refresh(computation);
  }

  listenersChanged(node: Node, slot: number): void {
    const computation = node.extra?.computations?.[slot];
    if (computation !== undefined && computation.state !== CLEAN) this.derived.refresh(computation);
  }

  idAssigned(node: Node, id: string): void {
    this.index.assignId(node, id);
  }

  pathOf(node: Node): string | null {
    return this.#deps.pathOf(node);
  }

  infoOf(node: Node): SubjectInfo {
    return new NodeInfo(this.reading, node);
  }

  flush(): void {
    this.delivery.flush();
  }

  listenerFailed(error: unknown, node: Node, slot: number): void {
    this.delivery.listenerFailed(error, node, slot);
  }
}
