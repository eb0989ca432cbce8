import type { Committed, Durability } from "@steading/kernel";
import type { StoreLimits } from "../store-limits.ts";
import { OP_DELETE, OP_PUT, OP_RECORD, type Counters, type Ops } from "./writer-messages.ts";
import type { EncodedCommit } from "./encode-commit.ts";
import { toOrderedKey } from "./ordered-key.ts";

/** A commit that has its numbers and waits for the writer. */
export interface Waiting {
  readonly encoded: EncodedCommit;
  readonly durability: Durability;
  readonly committed: Committed;
  /** The counters once this commit is on disk. */
  readonly counters: Counters;
  readonly resolve: (committed: Committed) => void;
  readonly reject: (error: Error) => void;
}

export interface Batch {
  readonly commits: readonly Waiting[];
  readonly ops: Ops;
  readonly sync: boolean;
  readonly counters: Counters;
}

/** What waits, in order, and how much of it goes into one transaction. */
export interface CommitQueue {
  /** False when it would not fit; nothing is queued then. */
  accepts(encoded: EncodedCommit): boolean;
  push(waiting: Waiting): void;
  /** All that waits, up to the limits of one batch; undefined when nothing does. */
  take(): Batch | undefined;
  /** Empties the queue, for a writer that failed. */
  drain(): readonly Waiting[];
  readonly records: number;
  readonly bytes: number;
}

type Limits = Pick<StoreLimits, "queueRecords" | "queueBytes" | "batchRecords" | "batchBytes">;

export function createCommitQueue({ limits }: { limits: Limits }): CommitQueue {
  let queue: Waiting[] = [];
  let records = 0;
  let bytes = 0;

  return {
    accepts: (encoded) =>
      queue.length === 0 ||
      (records + weight(encoded) <= limits.queueRecords && bytes + encoded.bytes <= limits.queueBytes),
    push(waiting) {
      queue.push(waiting);
      records += weight(waiting.encoded);
      bytes += waiting.encoded.bytes;
    },
    take() {
      let count = 0;
      let batchRecords = 0;
      let batchBytes = 0;
      for (const { encoded } of queue) {
        const over =
          batchRecords + weight(encoded) > limits.batchRecords || batchBytes + encoded.bytes > limits.batchBytes;
        if (over && count > 0) break;
        count++;
        batchRecords += weight(encoded);
        batchBytes += encoded.bytes;
      }
      const last = queue[count - 1];
      if (!last) return undefined;
      const commits = queue.splice(0, count);
      records -= batchRecords;
      bytes -= batchBytes;
      return { commits, ops: toOps(commits), sync: commits.some(isFixed), counters: last.counters };
    },
    drain() {
      const drained = queue;
      queue = [];
      records = bytes = 0;
      return drained;
    },
    get records() {
      return records;
    },
    get bytes() {
      return bytes;
    },
  };
}

const isFixed = ({ durability }: Waiting): boolean => durability === "fixed";

/** A commit without records still is one thing that waits. */
function weight({ records }: EncodedCommit): number {
  return Math.max(1, records.length);
}

function toOps(commits: readonly Waiting[]): Ops {
  const ops: Ops = [];
  for (const { encoded, committed } of commits) {
    for (const { space, key } of encoded.deletes) ops.push(OP_DELETE, toOrderedKey(space), toOrderedKey(key));
    for (const { space, key, json } of encoded.puts) {
      ops.push(OP_PUT, toOrderedKey(space), toOrderedKey(key), json, committed.revision);
    }
    encoded.records.forEach(({ stream, at, kind, correlation, json }, i) => {
      ops.push(OP_RECORD, stream, committed.seqs[i] ?? 0, at, kind, correlation ?? null, json);
    });
  }
  return ops;
}
