import type { StreamName } from "@steading/kernel";
import type { DatabaseFailure } from "../sqlite/database-failure.ts";
import type { BlockingLine } from "../threads/blocking-port.ts";

/** What the counters say after a commit: the last revision and the last sequence number of each stream. */
export type Counters = Readonly<Record<"revision" | StreamName, number>>;

/** Records that retention has taken away, over the life of the database. */
export type Dropped = Readonly<Record<StreamName, number>>;

export interface Retention {
  readonly runRecords: number;
  readonly runsRecords: number;
  readonly busRecords: number;
}

export const OP_DELETE = 0;
export const OP_PUT = 1;
export const OP_RECORD = 2;

/**
 * Commits as one flat list, because a flat list of strings and numbers crosses to a thread several times faster than a
 * tree of objects. After each operation code: delete(space, key, revision), put(space, key, json, revision),
 * record(stream, seq, at, kind, correlation or null, json, light: 1 for what the bus drops first).
 */
export type Ops = (string | number | null)[];

/** Commits that were queued together. The writer joins as many of these as fit into one transaction. */
export interface CommitsMessage {
  readonly kind: "commits";
  /** Grows with every failure; what was sent before the main thread knew of one is not written. */
  readonly generation: number;
  readonly ops: Ops;
  readonly records: number;
  readonly bytes: number;
  /** Some commit of it must survive power loss. */
  readonly sync: boolean;
  /** The counters after the last of these commits. */
  readonly counters: Counters;
  /** The turn in which these were committed is not over: more follows, or `turnOver`. */
  readonly unfinished: boolean;
}
export type ToWriter =
  | CommitsMessage
  /** Nothing more follows of the turn whose last parcel was unfinished. */
  | { readonly kind: "turnOver" }
  /** Tries to bring what lies in the reserve into the database. */
  | { readonly kind: "drain" }
  /** Drops audit records older than this. */
  | { readonly kind: "expire"; readonly auditBefore: number }
  | { readonly kind: "close" };

export interface WriterReady {
  readonly kind: "ready";
  readonly epoch: string;
  /** What is safe, in the database or in the reserve. */
  readonly counters: Counters;
  /** What is in the database. */
  readonly stored: Counters;
  /** What lies in the reserve because there is still no room for it; undefined when the disk is not full. */
  readonly reserved: readonly Ops[] | undefined;
  readonly dropped: Dropped;
  readonly uncheckedBytes: number;
}

export type FromWriter =
  | WriterReady
  | { readonly kind: "refused"; readonly failure: DatabaseFailure }
  /** One transaction is as safe as it was asked to be, and everything before it; `reserved`: but not in the database. */
  | { readonly kind: "durable"; readonly counters: Counters; readonly synced: boolean; readonly reserved: boolean }
  /** `counters` are what is safe, read back from where it is. */
  | { readonly kind: "failed"; readonly failure: DatabaseFailure; readonly counters: Counters }
  /** There is room again, and the reserve is empty. */
  | { readonly kind: "drained"; readonly counters: Counters }
  | { readonly kind: "undrained" }
  /** Retention took something away; the totals since the database was made. */
  | { readonly kind: "trimmed"; readonly dropped: Dropped }
  /** Retention failed; nothing that was committed is touched by that. */
  | { readonly kind: "untrimmed"; readonly failure: DatabaseFailure }
  | { readonly kind: "closed" };

export interface WriterData {
  readonly file: string;
  readonly maxBytes: number;
  readonly checkBytes: number;
  readonly openedAt: number;
  readonly reserveFile: string;
  readonly reserveBytes: number;
  readonly batchRecords: number;
  readonly batchBytes: number;
  readonly retention: Retention;
  readonly line: BlockingLine;
}
