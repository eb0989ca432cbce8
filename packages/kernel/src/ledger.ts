import type { Json, JsonObject } from "./json.ts";

/**
 * How safe a commit must be before its caller is answered.
 * `fixed` survives power loss (fsynced), `kept` survives kill -9 (in the write-ahead log), `volatile` may be lost.
 */
export type Durability = "fixed" | "kept" | "volatile";

/** Each stream has its own gap-free sequence, retention and minimum role. */
export const STREAMS = ["audit", "runs", "bus"] as const;
export type StreamName = (typeof STREAMS)[number];

export interface Entry {
  readonly value: Json;
  /** The commit that wrote it; grows with every commit. Zero never occurs, so that it can mean "absent" in `expect`. */
  readonly revision: number;
}

export interface NewRecord {
  readonly stream: StreamName;
  readonly kind: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly correlation?: string;
  readonly data: JsonObject;
}
export interface StoredRecord extends NewRecord {
  readonly seq: number;
}

export interface Commit {
  readonly durability: Durability;
  /** Every line must hold or nothing is written: `revision: 0` means "must be absent". */
  readonly expect?: readonly { readonly space: string; readonly key: string; readonly revision: number }[];
  readonly puts?: readonly { readonly space: string; readonly key: string; readonly value: Json }[];
  readonly deletes?: readonly { readonly space: string; readonly key: string }[];
  readonly records?: readonly NewRecord[];
  /** An effect towards safe: goes on when the disk is full, from the reserve. */
  readonly reserve?: boolean;
}

export interface Committed {
  readonly revision: number;
  /** Sequence numbers, in the order of `records`. */
  readonly seqs: readonly number[];
}

export interface ListOptions {
  readonly prefix?: string;
  /** Keys strictly greater than this one. */
  readonly after?: string;
  /** At most 1 000; that is also the default. */
  readonly limit?: number;
}

export interface ReadRecords {
  /** Records with a greater sequence number. */
  readonly after?: number;
  /** At most 1 000; that is also the default. */
  readonly limit?: number;
}

/**
 * The one durable port: state and its record together or not at all. A commit is visible to `get` from the moment
 * `commit` was called (so that the next decision sees it) and its promise resolves once it is as safe as asked.
 *
 * Codes: `REVISION_STALE` an expectation failed, nothing was written; `STORE_BUSY` the queue is full (retryable);
 * `STORE_FULL` no room on the disk; `STORE_FAILED` the disk refused; `STORE_CLOSED`.
 */
export interface Ledger {
  commit(commit: Commit): Promise<Committed>;
  get(space: string, key: string): Entry | undefined;
  /** In key order (code units). */
  list(space: string, options?: ListOptions): readonly { readonly key: string; readonly entry: Entry }[];
  /** Oldest first. */
  records(stream: StreamName, options?: ReadRecords): readonly StoredRecord[];
  /** The newest sequence number of a stream, durable or not; 0 when it is empty. */
  lastSeq(stream: StreamName): number;
  /** Waits until all that was committed so far is on disk, then lets go of it. */
  close(): Promise<void>;
}
