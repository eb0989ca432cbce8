import { millis, type Cancel, type Clock, type Log } from "@steading/kernel";
import type { Change } from "../graph/change.ts";
import type { Source, WriteOutcome } from "./source.ts";

const COALESCE = millis(8);
const MAX_BATCH = 1_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

/** A local change on its way to the outside. */
interface Parked {
  change: Change;
  /** What the source said before any of this. */
  readonly sourceValue: unknown;
  readonly isDiscrete: boolean;
}

export interface OutboundDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly source: Source;
  readonly name: string;
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
  holds(change: Pick<Change, "subject" | "property">): boolean;
  /** Sends what waits and what failed before. */
  flush(signal: AbortSignal): Promise<void>;
  stop(): void;
}

export function createOutbound({ clock, log, source, name, retryLimit, isConnected, pullBack, sent, failed }: OutboundDeps): Outbound {
  let waiting: Parked[] = [];
  /** Failed ones, oldest first. */
  let ring: Parked[] = [];
  let dropped = 0;
  let timer: Cancel | undefined;
  let running: Promise<void> | undefined;
  let retryMs = FIRST_RETRY_MS;
  const stopped = new AbortController();

  const isFor = (a: Pick<Change, "subject" | "property">, b: Pick<Change, "subject" | "property">): boolean =>
    a.subject === b.subject && a.property === b.property;

  function schedule(after: number): void {
    if (timer !== undefined || stopped.signal.aborted) return;
    timer = clock.timer(millis(after), () => {
      timer = undefined;
      void flush(stopped.signal);
    });
  }

  function trim(list: Parked[]): Parked[] {
    const over = list.length - retryLimit;
    if (over <= 0) return list;
    dropped += over;
    log.warn("Writes to a source were given up: too many wait.", { source: name, dropped: over });
    return list.slice(over);
  }

  async function send(batch: readonly Parked[], signal: AbortSignal): Promise<readonly Parked[]> {
    let outcome: WriteOutcome;
    try {
      if (source.writeChanges === undefined) throw new Error("The source is a mirror without writeChanges.");
      outcome = await source.writeChanges(batch.map((parked) => parked.change), signal);
    } catch (error) {
      outcome = { failed: batch.map((parked) => parked.change), error };
    }
    sent(batch.length - outcome.failed.length);
    if (outcome.failed.length === 0) return [];
    failed(outcome.error);
    const isPermanent = (change: Change): boolean =>
      outcome.permanent === true || (Array.isArray(outcome.permanent) && outcome.permanent.some((each) => isFor(each, change)));
    const left = batch.filter((parked) => outcome.failed.some((change) => change === parked.change || isFor(change, parked.change)));
    for (const parked of left) if (isPermanent(parked.change)) pullBack(parked.change, parked.sourceValue);
    return left.filter((parked) => !isPermanent(parked.change));
  }

  async function flush(signal: AbortSignal): Promise<void> {
    while (running !== undefined) await running;
    if (!isConnected() || (waiting.length === 0 && ring.length === 0)) return;
    running = drain(signal).finally(() => {
      running = undefined;
    });
    await running;
  }

  async function drain(signal: AbortSignal): Promise<void> {
    const due = [...ring, ...waiting];
    ring = [];
    waiting = [];
    const again: Parked[] = [];
    for (let i = 0; i < due.length; i += MAX_BATCH) {
      const batch = due.slice(i, i + MAX_BATCH);
      if (signal.aborted || !isConnected()) again.push(...batch);
      else again.push(...(await send(batch, signal)));
    }
    // A newer local write of the same property has taken the place of one that failed.
    const kept = again.filter((parked) => parked.isDiscrete || !waiting.some((newer) => isFor(newer.change, parked.change)));
    ring = trim([...kept, ...ring]);
    if (ring.length === 0) retryMs = FIRST_RETRY_MS;
    else if (isConnected()) {
      schedule(retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }

  return {
    get depth() {
      return waiting.length + ring.length;
    },
    get dropped() {
      return dropped;
    },
    offer(change, isDiscrete) {
      const known = isDiscrete ? undefined : waiting.find((parked) => isFor(parked.change, change));
      const failedBefore = isDiscrete ? undefined : ring.find((parked) => isFor(parked.change, change));
      const sourceValue = (known ?? failedBefore)?.sourceValue ?? change.old;
      if (failedBefore !== undefined) ring = ring.filter((parked) => parked !== failedBefore);
      if (known !== undefined) known.change = { ...change, old: known.change.old };
      else waiting = trim([...waiting, { change, sourceValue, isDiscrete }]);
      if (isConnected()) schedule(COALESCE);
    },
    holds: (change) => [...waiting, ...ring].some((parked) => isFor(parked.change, change)),
    flush,
    stop() {
      timer?.();
      timer = undefined;
      stopped.abort();
    },
  };
}
