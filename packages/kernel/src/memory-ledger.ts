import type { Clock } from "./clock.ts";
import { millis, type Duration } from "./duration.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { kernelError } from "./kernel-errors.ts";
import type { Commit, Committed, Entry, Ledger, StoredRecord, StreamName } from "./ledger.ts";
import { createMemoryStream, type MemoryStream } from "./memory-stream.ts";
import { createSortedKeys, type SortedKeys } from "./sorted-keys.ts";

const PAGE = 1_000;

export interface MemoryLedgerLimits {
  readonly entries: number;
  readonly audit: number;
  readonly runs: number;
  readonly bus: number;
}
export const MEMORY_LEDGER_LIMITS: MemoryLedgerLimits = {
  entries: 1_000_000,
  audit: 1_000_000,
  runs: 100_000,
  bus: 10_000,
};

export interface MemoryLedger extends Ledger {
  /** Records each stream let go of because it was full. */
  readonly dropped: Readonly<Record<StreamName, number>>;
}

interface Space {
  readonly entries: Map<string, Entry>;
  readonly keys: SortedKeys;
}

/**
 * A ledger that forgets everything with its process: for tests, trials and a hub without a data directory.
 * `latency` stands for the disk: a commit is visible at once, its promise resolves that much later.
 */
export function createMemoryLedger({
  clock,
  latency = millis(0),
  limits = MEMORY_LEDGER_LIMITS,
}: {
  readonly clock: Pick<Clock, "sleep">;
  readonly latency?: Duration;
  readonly limits?: MemoryLedgerLimits;
}): MemoryLedger {
  const spaces = new Map<string, Space>();
  const streams: Readonly<Record<StreamName, MemoryStream>> = {
    audit: createMemoryStream({ stream: "audit", limit: limits.audit }),
    runs: createMemoryStream({ stream: "runs", limit: limits.runs }),
    bus: createMemoryStream({ stream: "bus", limit: limits.bus }),
  };
  let revision = 0;
  let size = 0;
  let closed = false;
  let durable: Promise<void> = Promise.resolve();

  function spaceOf(name: string): Space {
    let space = spaces.get(name);
    if (!space) spaces.set(name, (space = { entries: new Map(), keys: createSortedKeys() }));
    return space;
  }

  function check(commit: Commit): void {
    if (closed) throw kernelError("STORE_CLOSED", "The ledger is closed; nothing more can be written to it.");
    for (const { space, key, revision: wanted } of commit.expect ?? []) {
      if ((spaces.get(space)?.entries.get(key)?.revision ?? 0) === wanted) continue;
      throw kernelError("REVISION_STALE", `The entry ${key} in ${space} is no longer as it was; read it again.`, {
        details: { space, key, expected: wanted },
      });
    }
    if (commit.reserve) return;
    const audits = commit.records?.filter(({ stream }) => stream === "audit").length ?? 0;
    if (size + added(commit) > limits.entries || streams.audit.size + audits > limits.audit) {
      throw kernelError("STORE_FULL", "The ledger in memory is full; raise its limits or use a data directory.");
    }
  }

  function added(commit: Commit): number {
    return (commit.puts ?? []).filter(({ space, key }) => !spaces.get(space)?.entries.has(key)).length;
  }

  function remove(name: string, key: string): void {
    const space = spaces.get(name);
    if (!space?.entries.delete(key)) return;
    space.keys.delete(key);
    size -= 1;
    if (space.entries.size === 0) spaces.delete(name);
  }

  function apply(commit: Commit): Committed {
    // Copied before anything changes: a value that is no JSON must not leave half a commit behind.
    const puts = (commit.puts ?? []).map((each) => ({ ...each, value: frozenCopy(each.value) }));
    const records = (commit.records ?? []).map((each) => ({
      ...each,
      data: frozenCopy(each.data),
    }));
    revision += 1;
    for (const { space, key } of commit.deletes ?? []) remove(space, key);
    for (const { space, key, value } of puts) {
      const { entries, keys } = spaceOf(space);
      if (!entries.has(key)) {
        keys.add(key);
        size += 1;
      }
      entries.set(key, Object.freeze({ value, revision }));
    }
    const seqs = records.map((record) => {
      const stream = streams[record.stream];
      const stored: StoredRecord = Object.freeze({ ...record, seq: stream.lastSeq + 1 });
      stream.append(stored);
      return stored.seq;
    });
    return { revision, seqs };
  }

  return {
    async commit(commit) {
      check(commit);
      const committed = apply(commit);
      if (latency > 0) await (durable = clock.sleep(latency));
      return committed;
    },
    get: (space, key) => spaces.get(space)?.entries.get(key),
    list(name, { prefix = "", after, limit = PAGE } = {}) {
      const space = spaces.get(name);
      const found: { key: string; entry: Entry }[] = [];
      if (!space) return found;
      const exclusive = after !== undefined && after >= prefix;
      for (const key of space.keys.from(exclusive ? after : prefix, exclusive)) {
        if (!key.startsWith(prefix) || found.length >= Math.min(limit, PAGE)) break;
        const entry = space.entries.get(key);
        if (entry) found.push({ key, entry });
      }
      return found;
    },
    records: (stream, options = {}) => streams[stream].read(options),
    lastSeq: (stream) => streams[stream].lastSeq,
    async close() {
      closed = true;
      await durable;
    },
    get dropped() {
      return { audit: 0, runs: streams.runs.dropped, bus: streams.bus.dropped };
    },
  };
}
