import { millis, type Cancel, type Clock } from "@steading/kernel";
import type { Change } from "../graph/change.ts";
import type { Subject } from "../instance/subject.ts";
import { createParkedWrites, type Parked } from "./parked-writes.ts";
import type { Source, WriteOutcome } from "./source.ts";

const COALESCE_MS = 8;
const MAX_BATCH = 1_000;
const MAX_WAITING = 100_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

export interface OutboundDeps {
  readonly clock: Clock;
  readonly source: Source;
  readonly retryLimit: number;
  readonly isConnected: () => boolean;
  /** A write that will never succeed: the model goes back to what the source says. */
  readonly pullBack: (change: Change, sourceValue: unknown) => void;
  readonly sent: (count: number) => void;
  readonly failed: (error: unknown) => void;
}

/** A mirror's way out: merged for a moment, sent in batches, kept for another try when it fails. */
export interface Outbound {
  readonly depth: number;
  readonly dropped: number;
  offer(change: Change, isDiscrete: boolean): void;
  /** A local write of this property has not reached the source yet. */
  holds(subject: Subject, property: string): boolean;
  /** Sends what waits and what failed before. */
  flush(signal: AbortSignal): Promise<void>;
  start(): void;
  stop(): void;
}

export function createOutbound({
  clock,
  source,
  retryLimit,
  isConnected,
  pullBack,
  sent,
  failed,
}: OutboundDeps): Outbound {
  const waiting = createParkedWrites(MAX_WAITING);
  /** Failed ones. */
  const ring = createParkedWrites(retryLimit);
  let sending: readonly Parked[] = [];
  let timer: Cancel | undefined;
  let running: Promise<void> | undefined;
  let retryMs = FIRST_RETRY_MS;
  let session = new AbortController();

  function schedule(after: number): void {
    if (timer !== undefined || session.signal.aborted) return;
    timer = clock.timer(millis(after), () => {
      timer = undefined;
      void flush(session.signal); // failures end up in the ring
    });
  }

  async function flush(signal: AbortSignal): Promise<void> {
    while (running !== undefined) await running;
    if (!isConnected() || (waiting.size === 0 && ring.size === 0)) return;
    running = drain(signal).finally(() => {
      running = undefined;
    });
    await running;
  }

  async function drain(signal: AbortSignal): Promise<void> {
    const due = [...ring.take(), ...waiting.take()];
    for (let i = 0; i < due.length; i += MAX_BATCH) {
      sending = due.slice(i);
      const batch = due.slice(i, i + MAX_BATCH);
      if (signal.aborted || !isConnected()) batch.forEach(park);
      else (await send(batch, signal)).forEach(park);
    }
    sending = [];
    if (ring.size === 0) retryMs = FIRST_RETRY_MS;
    else if (isConnected()) {
      schedule(retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }

  /** For another try, unless a newer local write has taken its place in the meantime. */
  function park(parked: Parked): void {
    const { subject, property } = parked.change;
    if (parked.isDiscrete || waiting.get(subject, property) === undefined) ring.put(parked);
  }

  async function send(batch: readonly Parked[], signal: AbortSignal): Promise<readonly Parked[]> {
    const outcome = await attempt(batch, signal);
    sent(batch.length - outcome.failed.length);
    if (outcome.failed.length === 0) return [];
    failed(outcome.error);
    const left = batch.filter(({ change }) => outcome.failed.some((each) => isSameTarget(each, change)));
    const isPermanent = ({ change }: Parked): boolean =>
      typeof outcome.permanent === "object"
        ? outcome.permanent.some((each) => isSameTarget(each, change))
        : outcome.permanent === true;
    for (const parked of left) if (isPermanent(parked)) pullBack(parked.change, parked.sourceValue);
    return left.filter((parked) => !isPermanent(parked));
  }

  async function attempt(batch: readonly Parked[], signal: AbortSignal): Promise<WriteOutcome> {
    const changes = batch.map(({ change }) => change);
    try {
      if (source.writeChanges === undefined) throw new Error("The source is a mirror without writeChanges.");
      return await source.writeChanges(changes, signal);
    } catch (error) {
      return { failed: changes, error };
    }
  }

  return {
    get depth() {
      return waiting.size + ring.size + sending.length;
    },
    get dropped() {
      return waiting.dropped + ring.dropped;
    },
    offer(change, isDiscrete) {
      const { subject, property } = change;
      // A newer local write replaces what failed; the source's own value is still the one before all of them.
      const before = isDiscrete ? undefined : (ring.remove(subject, property) ?? waiting.get(subject, property));
      const merged = before === undefined ? change : { ...change, old: before.change.old };
      waiting.put({ change: merged, sourceValue: before === undefined ? change.old : before.sourceValue, isDiscrete });
      if (isConnected()) schedule(COALESCE_MS);
    },
    holds: (subject, property) =>
      waiting.get(subject, property) !== undefined ||
      ring.get(subject, property) !== undefined ||
      sending.some(({ change }) => change.subject === subject && change.property === property),
    flush,
    start() {
      if (session.signal.aborted) session = new AbortController();
    },
    stop() {
      timer?.();
      timer = undefined;
      session.abort();
    },
  };
}

function isSameTarget(a: Change, b: Change): boolean {
  return a === b || (a.subject === b.subject && a.property === b.property);
}
