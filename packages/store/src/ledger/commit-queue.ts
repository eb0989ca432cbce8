import type { Commit, Committed, Durability } from "@steading/kernel";
import type { StoreLimits } from "../store-limits.ts";
import type { EncodedCommit } from "./encode-commit.ts";
import { toOrderedKey } from "./ordered-key.ts";
import { OP_DELETE, OP_PUT, OP_RECORD, type CommitsMessage, type Counters, type Ops } from "./writer-messages.ts";

/** A commit that has its numbers and is not yet known to be on disk. */
export interface Waiting {
  readonly encoded: EncodedCommit;
  readonly durability: Durability;
  readonly reserve: boolean;
  readonly expect: NonNullable<Commit["expect"]>;
  readonly committed: Committed;
  /** The counters once this commit is on disk. */
  readonly counters: Counters;
  readonly resolve: (committed: Committed) => void;
  readonly reject: (error: Error) => void;
}

export type Parcel = Omit<CommitsMessage, "kind" | "generation" | "unfinished">;

/** All that is not yet durable, in order: first what the writer was sent, then what it will be sent next. */
export interface CommitQueue {
  /** False when it would not fit; nothing is queued then. */
  accepts(encoded: EncodedCommit): boolean;
  push(waiting: Waiting): void;
  /** The next unsent commits, never more than one transaction takes; undefined when all is sent. */
  nextParcel(): Parcel | undefined;
  /** Takes out what is durable up to this revision. */
  settle(revision: number): readonly Waiting[];
  /** Empties the queue, for a writer that failed. */
  drain(): readonly Waiting[];
  /** Commits that were not sent. */
  readonly unsent: number;
  readonly records: number;
  readonly bytes: number;
}

type Limits = Pick<StoreLimits, "queueRecords" | "queueBytes" | "batchRecords" | "batchBytes">;

export function createCommitQueue({ limits }: { limits: Limits }): CommitQueue {
  let queue: Waiting[] = [];
  let sent = 0;
  let records = 0;
  let bytes = 0;

  return {
    accepts(encoded) {
      if (queue.length === 0) return true;
      return records + weight(encoded) <= limits.queueRecords && bytes + encoded.bytes <= limits.queueBytes;
    },
    push(waiting) {
      queue.push(waiting);
      records += weight(waiting.encoded);
      bytes += waiting.encoded.bytes;
    },
    nextParcel() {
      const first = sent;
      let parcel = { records: 0, bytes: 0, sync: false };
      const ops: Ops = [];
      for (let next = queue[sent]; next; next = queue[++sent]) {
        const { encoded, durability } = next;
        const grown = { records: parcel.records + weight(encoded), bytes: parcel.bytes + encoded.bytes };
        // A single commit may be larger than a transaction should be; it cannot be cut, so it goes alone.
        if (sent > first && (grown.records > limits.batchRecords || grown.bytes > limits.batchBytes)) break;
        parcel = { ...grown, sync: parcel.sync || durability === "fixed" };
        addOps(ops, next);
      }
      const last = queue[sent - 1];
      return sent > first && last ? { ...parcel, ops, counters: last.counters } : undefined;
    },
    settle(revision) {
      let count = 0;
      for (const { encoded, committed } of queue) {
        if (committed.revision > revision) break;
        records -= weight(encoded);
        bytes -= encoded.bytes;
        count++;
      }
      sent = Math.max(0, sent - count);
      return queue.splice(0, count);
    },
    drain() {
      const drained = queue;
      queue = [];
      sent = records = bytes = 0;
      return drained;
    },
    get unsent() {
      return queue.length - sent;
    },
    get records() {
      return records;
    },
    get bytes() {
      return bytes;
    },
  };
}

/** A commit without records still is one thing that waits. */
function weight({ records }: EncodedCommit): number {
  return Math.max(1, records.length);
}

/** The commit as operations; see `Ops`. */
export function addOps(ops: Ops, { encoded, committed }: Waiting): void {
  for (const { space, key } of encoded.deletes) {
    ops.push(OP_DELETE, toOrderedKey(space), toOrderedKey(key), committed.revision);
  }
  for (const { space, key, json } of encoded.puts) {
    ops.push(OP_PUT, toOrderedKey(space), toOrderedKey(key), json, committed.revision);
  }
  encoded.records.forEach(({ stream, at, kind, correlation, json, light }, i) => {
    ops.push(OP_RECORD, stream, committed.seqs[i] ?? 0, at, kind, correlation ?? null, json, light ? 1 : 0);
  });
}
