import type { Cancel, Log } from "@steading/kernel";
import type { Quality } from "../info/quality.ts";
import { DELIVERING, extraOf, type Node, type PendingChange, type Pulse } from "../instance/node.ts";
import { sameValue } from "../instance/same-value.ts";
import { subjectError } from "../subject-error.ts";
import type { Change, LifecycleEvent, Origin } from "./change.ts";

/** Writes that listeners make in answer to writes, in a row. Beyond it they are taken for an endless circle. */
const MAX_DEPTH = 100;

type Told = Quality | "error";

/** Takes part in hearing of every change. */
export interface Observer {
  change(change: Change, isDiscrete: boolean): void;
}

export interface DeliveryDeps {
  readonly pulse: Pulse;
  readonly log: Log;
  /** Structure and derived values first; false when there was nothing to do. */
  readonly settle: () => boolean;
  /** The first observer came: derived values must be right from here on. */
  readonly observed: () => void;
}

/** Batches writes and tells of them, each listener on its own, in the order of the writes. */
export interface Delivery {
  readonly inBatch: boolean;
  readonly isObserved: boolean;
  /** Nothing is under way: a change may be told at once. */
  readonly isIdle: boolean;
  tellNow(
    node: Node,
    slot: number,
    old: unknown,
    value: unknown,
    quality: Told,
    origin: Origin,
    changedAt: number,
    receivedAt: number,
  ): void;
  batch<T>(work: () => T, renewTime: () => void): T;
  /** Opens and closes around the parts of one write, so that what hooks write in between is told after it. */
  open(): void;
  close(): void;
  /** Throws LISTENER_LOOP when listeners have been answering each other for too long. */
  checkDepth(node: Node, slot: number): void;
  enqueue(
    node: Node,
    slot: number,
    old: unknown,
    value: unknown,
    quality: Told,
    isRequalified: boolean,
    origin: Origin,
    changedAt: number,
    receivedAt: number,
  ): void;
  flush(): void;
  listenerFailed(error: unknown, node: Node, slot: number): void;
  addObserver(observer: Observer): Cancel;
  onLifecycle(listener: (event: LifecycleEvent) => void): Cancel;
  tellLifecycle(event: LifecycleEvent): void;
  forget(nodes: ReadonlySet<Node>): void;
}

export function createDelivery({ pulse, log, settle, observed }: DeliveryDeps): Delivery {
  let depth = 0;
  let batchDepth = 0;
  /** Batches that somebody asked for, as against the inside of a single write. */
  let askedBatches = 0;
  let isFlushing = false;
  const queue: PendingChange[] = [];
  let head = 0;
  let loop: Error | undefined;
  const trail: string[] = [];
  let observers: readonly Observer[] = [];
  const lifecycleListeners = new Set<(event: LifecycleEvent) => void>();

  function listenerFailed(error: unknown, node: Node, slot: number): void {
    if (isLoop(error)) {
      loop ??= error;
      pulse.waiting = true;
      return;
    }
    const { name } = node.layout.slot(slot);
    log.error("A change listener failed; the others were told.", error, {
      property: `${node.layout.type.name}.${name}`,
    });
  }

  function deliver(pending: PendingChange): void {
    const { node, slot, old, value } = pending;
    unlinkPending(pending);
    // It left the graph in the meantime, or the batch brought it back to where it was.
    if (node.core !== pulse.core || (!pending.isRequalified && sameValue(old, value))) return;
    depth = pending.depth;
    trail[depth] = node.layout.slots[slot]?.name ?? "";
    pulse.closed += DELIVERING;
    const listener = node.listeners?.[slot] ?? null;
    if (listener !== null) {
      try {
        listener(value, old, node.subject);
      } catch (error) {
        listenerFailed(error, node, slot);
      }
    }
    if (observers.length > 0) {
      const { quality, revision, changedAt, receivedAt, origin } = pending;
      tellObservers(node, slot, old, value, quality, revision, changedAt, receivedAt, origin);
    }
    pulse.closed -= DELIVERING;
    depth = 0;
  }

  function tellObservers(
    node: Node,
    slot: number,
    old: unknown,
    value: unknown,
    quality: Told,
    revision: number,
    changedAt: number,
    receivedAt: number,
    origin: Origin,
  ): void {
    const declared = node.layout.slots[slot];
    if (declared === undefined || declared === null) return;
    const isDiscrete = declared.facets.discrete === true;
    const change: Change = {
      subject: node.subject,
      property: declared.name,
      old,
      value,
      quality,
      revision,
      changedAt,
      receivedAt,
      origin,
    };
    for (const observer of observers) {
      try {
        observer.change(change, isDiscrete);
      } catch (error) {
        listenerFailed(error, node, slot);
      }
    }
  }

  function flush(): void {
    if (isFlushing || batchDepth > 0 || pulse.delivering) return;
    isFlushing = true;
    pulse.closed += 1;
    try {
      for (;;) {
        while (settle());
        const next = queue[head++];
        if (next === undefined) break;
        deliver(next);
      }
    } finally {
      isFlushing = false;
      pulse.closed -= 1;
      pulse.waiting = false;
      // Assigning the length costs more than taking one or two off, which is the usual case.
      if (queue.length > 8) queue.length = 0;
      while (queue.length > 0) queue.pop();
      head = 0;
    }
    if (loop === undefined) return;
    const error = loop;
    loop = undefined;
    throw error;
  }

  function close(): void {
    batchDepth -= 1;
    pulse.closed -= 1;
    if (batchDepth === 0) flush();
  }

  return {
    get inBatch() {
      return batchDepth > 0;
    },
    get isObserved() {
      return observers.length > 0;
    },
    get isIdle() {
      return batchDepth === 0 && !isFlushing && !pulse.delivering;
    },
    tellNow(node, slot, old, value, quality, origin, changedAt, receivedAt) {
      pulse.closed += DELIVERING;
      const listener = node.listeners === null ? null : (node.listeners[slot] ?? null);
      if (listener !== null) {
        try {
          listener(value, old, node.subject);
        } catch (error) {
          listenerFailed(error, node, slot);
        }
      }
      tellObservers(node, slot, old, value, quality, pulse.revision, changedAt, receivedAt, origin);
      pulse.closed -= DELIVERING;
      if (pulse.waiting) flush();
    },
    batch(work, renewTime) {
      if (batchDepth === 0 && !isFlushing && !pulse.delivering) renewTime();
      askedBatches += 1;
      batchDepth += 1;
      pulse.closed += 1;
      try {
        return work();
      } finally {
        askedBatches -= 1;
        close();
      }
    },
    open() {
      batchDepth += 1;
      pulse.closed += 1;
    },
    close,
    checkDepth(node, slot) {
      if (!pulse.delivering || depth < MAX_DEPTH) return;
      const names = [...new Set([...trail.slice(-10), node.layout.slot(slot).name])];
      throw subjectError("LISTENER_LOOP", `Listeners keep answering each other's writes to ${names.join(", ")}.`, {
        details: { properties: names },
      });
    },
    enqueue(node, slot, old, value, quality, isRequalified, origin, changedAt, receivedAt) {
      const extra = extraOf(node);
      const bit = 1 << (slot % 31);
      const declared = node.layout.slots[slot];
      if (askedBatches > 0 && (extra.pendingMask & bit) !== 0 && declared?.facets.discrete !== true) {
        for (let known = extra.pending; known !== null; known = known.next) {
          if (known.slot !== slot || known.isDelivered) continue;
          known.value = value;
          known.quality = quality;
          known.isRequalified ||= isRequalified;
          known.origin = origin;
          known.revision = pulse.revision;
          known.changedAt = changedAt;
          known.receivedAt = receivedAt;
          return;
        }
      }
      const pending: PendingChange = {
        node,
        slot,
        old,
        value,
        quality,
        isRequalified,
        origin,
        revision: pulse.revision,
        changedAt,
        receivedAt,
        depth: pulse.delivering ? depth + 1 : 0,
        isDelivered: false,
        next: extra.pending,
      };
      extra.pending = pending;
      extra.pendingMask |= bit;
      queue.push(pending);
      pulse.waiting = true;
    },
    flush,
    listenerFailed,
    addObserver(observer) {
      if (observers.length === 0) observed();
      observers = [...observers, observer];
      pulse.closed += 1;
      let isOn = true;
      return () => {
        if (!isOn) return;
        isOn = false;
        observers = observers.filter((each) => each !== observer);
        pulse.closed -= 1;
      };
    },
    onLifecycle(listener) {
      lifecycleListeners.add(listener);
      return () => void lifecycleListeners.delete(listener);
    },
    tellLifecycle(event) {
      for (const listener of [...lifecycleListeners]) {
        try {
          listener(event);
        } catch (error) {
          log.error("A lifecycle listener failed; the others were told.", error, { type: event.subject.$type });
        }
      }
    },
    forget(nodes) {
      for (const node of nodes) {
        if (node.extra === null) continue;
        node.extra.pending = null;
        node.extra.pendingMask = 0;
      }
    },
  };
}

/** A listener that throws a loop error on purpose is no loop; ours carries the code. */
function isLoop(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "LISTENER_LOOP";
}

/** Takes a change off its subject's list. Changes are told in order, so the list is short and its end is the oldest. */
function unlinkPending(pending: PendingChange): void {
  pending.isDelivered = true;
  const { extra } = pending.node;
  if (extra === null) return;
  while (extra.pending !== null && extra.pending.isDelivered) extra.pending = extra.pending.next;
  if (extra.pending === null) extra.pendingMask = 0;
}
