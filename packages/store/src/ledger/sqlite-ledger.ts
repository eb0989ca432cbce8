import {
  days,
  hours,
  type Clock,
  type Commit,
  type Committed,
  type Entry,
  type Health,
  type Ledger,
  type Log,
  type SteadingError,
  type StoredRecord,
  type StreamName,
} from "@steading/kernel";
import { createClassRules, type DataClasses } from "../data-classes.ts";
import { storeError } from "../store-errors.ts";
import type { StoreLimits } from "../store-limits.ts";
import { createCommitCheck } from "./commit-check.ts";
import { addOps, createCommitQueue, type Waiting } from "./commit-queue.ts";
import { encodeCommit, type EncodedCommit } from "./encode-commit.ts";
import { createFullDisk } from "./full-disk.ts";
import { createLedgerCounters, type LedgerCounters } from "./ledger-counters.ts";
import { listEntries, toEntry } from "./list-entries.ts";
import { createOverlay } from "./overlay.ts";
import { createStateReader, type StateReader } from "./state-reader.ts";
import { startStateWriter, type StateWriter } from "./state-writer.ts";
import type { Counters, Dropped, Ops } from "./writer-messages.ts";

export interface SqliteLedger extends Ledger {
  /** True when the database was too large to be checked before use. */
  readonly unchecked: boolean;
  health(): Health;
  /** The name that the database was born with. */
  readonly epoch: string;
  readonly counters: LedgerCounters;
}

export interface SqliteLedgerDeps {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: StoreLimits;
  readonly classes: DataClasses;
}

const PAGE = 1_000;
/** Commits of one turn that are sent ahead of its end: the writer works on them while this thread encodes the next. */
const AHEAD = 64;

/**
 * The ledger on `state.db`. This thread decides (expectations, numbers, order) and the writer thread writes; what lies
 * between the two is the overlay for readers and the queue for the writer.
 */
export async function openSqliteLedger(deps: SqliteLedgerDeps): Promise<SqliteLedger> {
  const { file, clock, log, limits, classes } = deps;
  const rules = createClassRules({ classes, log });
  const overlay = createOverlay(limits);
  const queue = createCommitQueue({ limits });
  const stats = createLedgerCounters();
  let dead: Error | undefined;
  let closing: Promise<void> | undefined;
  let idle: (() => void) | undefined;
  let generation = 0;
  let flushing = false;
  /** The writer was told that this turn is not over. */
  let midTurn = false;

  const writer = await startStateWriter({
    file,
    openedAt: clock.now(),
    limits,
    events: {
      durable: onDurable,
      failed: onFailed,
      drained: onDrained,
      undrained: () => full.askAgain(),
      trimmed,
      untrimmed,
    },
  });
  const { ready } = writer;
  const reader = await readerBeside(writer, file);
  /** What is in the database; what is safe, there or in the reserve; what was given out. */
  let stored: Counters = ready.stored;
  let safe: Counters = ready.counters;
  let counters: Counters = safe;
  stats.dropped = ready.dropped;
  const full = createFullDisk({ clock, log, overlay, ask: writer.drain });
  const check = createCommitCheck({ limits, queue, stats, revisionOf, isFull: () => full.on });
  if (ready.reserved) {
    for (const ops of ready.reserved) full.keep(ops);
    full.relay();
    full.begin();
  }
  let expiredAt = Number.NEGATIVE_INFINITY;

  /** Asked for with commits and not by a timer: a ledger that nobody writes to has nothing that grows. */
  function expireSometimes(): void {
    if (clock.monotonic() - expiredAt < hours(1)) return;
    expiredAt = clock.monotonic();
    writer.expire(clock.now() - days(limits.auditDays));
  }

  /** What is committed in one turn of the event loop is written together, however many parcels it travels in. */
  function flushSoon(): void {
    if (queue.unsent >= AHEAD) send(true);
    if (flushing) return;
    flushing = true;
    queueMicrotask(() => {
      flushing = false;
      send(false);
    });
  }

  function send(unfinished: boolean): void {
    const before = midTurn;
    midTurn = unfinished;
    let parcel = queue.nextParcel();
    if (!parcel && before && !unfinished) writer.endTurn();
    while (parcel) {
      const next = queue.nextParcel();
      writer.write({ generation, unfinished: unfinished && !next, ...parcel });
      parcel = next;
    }
  }

  function rest(): void {
    if (queue.records > 0) return;
    writer.rest();
    idle?.();
  }

  function onDurable(to: Counters, { synced, reserved }: { synced: boolean; reserved: boolean }): void {
    stats.transactions++;
    if (synced) stats.syncs++;
    safe = to;
    if (!reserved) {
      stored = to;
      overlay.settleRecords(stored);
    }
    for (const waiting of queue.settle(to.revision)) {
      if (reserved) keepReserved(waiting);
      else settleEntries(waiting);
      stats.commits++;
      waiting.resolve(waiting.committed);
    }
    rest();
  }

  function settleEntries({ encoded, committed }: Waiting): void {
    for (const { space, key } of encoded.deletes) overlay.settle(space, key, committed.revision);
    for (const { space, key } of encoded.puts) overlay.settle(space, key, committed.revision);
  }

  function keepReserved(waiting: Waiting): void {
    const ops: Ops = [];
    addOps(ops, waiting);
    full.keep(ops);
    stats.reserved++;
  }

  function onDrained(to: Counters): void {
    stored = to;
    full.end();
    overlay.settleRecords(stored);
  }

  function trimmed(dropped: Dropped): void {
    stats.dropped = dropped;
  }

  function untrimmed(error: Error): void {
    stats.failedTrims++;
    log.error("Retention could not drop old records; it will try again.", error);
  }

  /** Everything that is not safe is taken back, so that numbers have no gap, and its callers are told. */
  function onFailed(error: SteadingError, stillSafe: Counters | undefined): void {
    if (dead) return;
    const lost = queue.drain();
    generation++;
    if (stillSafe) safe = stillSafe;
    else dead = error;
    counters = safe;
    overlay.reset(stored);
    full.relay();
    stats.failedBatches++;
    const wasFull = full.on;
    if (error.code === "STORE_FULL") full.begin();
    else log.error("A batch could not be written; its commits and those behind it are refused.", error);
    for (const waiting of lost) {
      if (waiting.durability === "volatile") stats.volatileLost++;
      // On the way to becoming full, what may use the reserve is tried again there, once.
      else if (full.on && !wasFull && waiting.reserve) retryInReserve(waiting, error);
      else waiting.reject(error);
    }
    rest();
  }

  function retryInReserve(waiting: Waiting, error: SteadingError): void {
    const { encoded, expect } = waiting;
    // What it was decided upon may have been lost just before it.
    if (expect.some(({ space, key, revision }) => revisionOf(space, key) !== revision)) return waiting.reject(error);
    queue.push({ ...waiting, committed: admit(encoded), counters });
    flushSoon();
  }

  function revisionOf(space: string, key: string): number {
    const queued = overlay.get(space, key);
    if (queued) return queued.json === undefined ? 0 : queued.revision;
    return reader.get(space, key)?.revision ?? 0;
  }

  function assertWritable(): void {
    assertOpen();
    if (dead) throw dead;
  }

  /** Everything up to the answer happens in one go, so no other commit can come between the check and the numbers. */
  function admit(encoded: EncodedCommit): Committed {
    const next = { ...counters, revision: counters.revision + 1 };
    const seqs = encoded.records.map((record) => {
      next[record.stream]++;
      overlay.append(record, next[record.stream]);
      return next[record.stream];
    });
    const { revision } = next;
    for (const { space, key } of encoded.deletes) overlay.set(space, key, { json: undefined, revision });
    for (const { space, key, json } of encoded.puts) overlay.set(space, key, { json, revision });
    counters = next;
    return { revision, seqs };
  }

  function enqueue(encoded: EncodedCommit, commit: Commit): Promise<Committed> {
    const { reserve = false, expect = [] } = commit;
    const durability = rules.durabilityOf(commit);
    const committed = admit(encoded);
    const waiting = { encoded, durability, reserve, expect, committed, counters };
    const answer = new Promise<Committed>((resolve, reject) => {
      if (durability !== "volatile") return queue.push({ ...waiting, resolve, reject });
      // Answered before the disk has spoken; what the disk says about it only counts.
      queue.push({ ...waiting, resolve() {}, reject() {} });
      resolve(committed);
    });
    flushSoon();
    expireSometimes();
    return answer;
  }

  function assertOpen(): void {
    if (closing) throw storeError("STORE_CLOSED", "The store is closed");
  }

  return {
    epoch: ready.epoch,
    unchecked: ready.uncheckedBytes > 0,
    counters: stats,
    health() {
      if (dead) return { status: "down", reason: dead.message };
      if (full.on) return { status: "degraded", reason: "The disk is full: only effects towards safe are recorded" };
      return { status: "ok" };
    },
    commit(commit) {
      try {
        const encoded = encodeCommit(commit);
        assertWritable();
        check(commit, encoded);
        return enqueue(encoded, commit);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    get(space, key): Entry | undefined {
      assertOpen();
      const found = overlay.get(space, key) ?? reader.get(space, key);
      return found?.json === undefined ? undefined : toEntry(found.json, found.revision);
    },
    list(space, { prefix = "", after, limit = PAGE } = {}) {
      assertOpen();
      return listEntries({ overlay, reader, space, prefix, after, limit: Math.min(limit, PAGE) });
    },
    records(stream: StreamName, { after = 0, limit = PAGE } = {}): readonly StoredRecord[] {
      assertOpen();
      const wanted = Math.min(limit, PAGE);
      if (after >= overlay.recordsFrom(stream)) return overlay.records(stream, after, wanted);
      const found = after < stored[stream] ? reader.records(stream, after, wanted) : [];
      const reached = found.at(-1)?.seq ?? Math.max(after, stored[stream]);
      return [...found, ...overlay.records(stream, reached, wanted - found.length)];
    },
    lastSeq: (stream) => counters[stream],
    close() {
      closing ??= (async () => {
        full.stop();
        if (queue.records > 0) await new Promise<void>((resolve) => (idle = resolve));
        reader.close();
        if (!dead) await writer.close();
      })();
      return closing;
    },
  };
}

async function readerBeside(writer: StateWriter, file: string): Promise<StateReader> {
  try {
    return createStateReader({ file });
  } catch (error) {
    await writer.close();
    throw error;
  }
}
