import type { ReadRecords, StoredRecord, StreamName } from "./ledger.ts";

/** One stream of the ledger in memory: numbered without gaps, bounded, dropping counted. */
export interface MemoryStream {
  readonly lastSeq: number;
  readonly size: number;
  readonly dropped: number;
  append(record: StoredRecord): void;
  read(options: ReadRecords): readonly StoredRecord[];
}

const PAGE = 1_000;

export function createMemoryStream({ stream, limit }: { stream: StreamName; limit: number }): MemoryStream {
  const kept: StoredRecord[] = [];
  let lastSeq = 0;
  let dropped = 0;

  function dropOne(): void {
    // The audit is never dropped: the ledger refuses a commit before its stream could overflow.
    if (stream === "audit") return;
    const minor = stream === "bus" ? kept.findIndex(isMinor) : 0;
    kept.splice(Math.max(0, minor), 1);
    dropped += 1;
  }

  return {
    get lastSeq() {
      return lastSeq;
    },
    get size() {
      return kept.length;
    },
    get dropped() {
      return dropped;
    },
    append(record) {
      kept.push(record);
      lastSeq = record.seq;
      if (kept.length > limit) dropOne();
    },
    read({ after = 0, limit: page = PAGE }) {
      const start = firstAfter(kept, after);
      return kept.slice(start, start + Math.min(page, PAGE));
    },
  };
}

function isMinor({ data }: StoredRecord): boolean {
  const level = data["level"] ?? "info";
  return level === "info" || level === "debug";
}

function firstAfter(records: readonly StoredRecord[], seq: number): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((records[middle]?.seq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
