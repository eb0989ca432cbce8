import type { StreamName } from "@steading/kernel";

/** What the counters say after a commit: the last revision and the last sequence number of each stream. */
export type Counters = Readonly<Record<"revision" | StreamName, number>>;

export const OP_DELETE = 0;
export const OP_PUT = 1;
export const OP_RECORD = 2;

/**
 * One transaction's work as one flat list, because a flat list of strings and numbers crosses to a thread several times
 * faster than a tree of objects. After each operation code: delete(space, key), put(space, key, json, revision),
 * record(stream, seq, at, kind, correlation or null, json).
 */
export type Ops = (string | number | null)[];

export interface BatchMessage {
  readonly kind: "batch";
  readonly ops: Ops;
  /** Some commit of the batch must survive power loss. */
  readonly sync: boolean;
  readonly counters: Counters;
}
export type ToWriter = BatchMessage | { readonly kind: "close" };

/** How the writer sees a failure; the main thread turns it into an error for people. */
export interface WriterFailure {
  readonly code: "STORE_FULL" | "STORE_FAILED" | "STORE_CORRUPT" | "SCHEMA_NEWER";
  readonly message: string;
  readonly sqlite?: string;
}

export type FromWriter =
  | { readonly kind: "ready"; readonly counters: Counters; readonly uncheckedBytes: number }
  | { readonly kind: "refused"; readonly failure: WriterFailure }
  | { readonly kind: "durable"; readonly to: number; readonly syncs: number }
  /** `counters` are read back from the database, the one who knows what is there. */
  | { readonly kind: "failed"; readonly failure: WriterFailure; readonly counters: Counters }
  | { readonly kind: "closed" };

export interface WriterData {
  readonly file: string;
  readonly maxBytes: number;
  readonly checkBytes: number;
}
