import type { StoredRecord, StreamName } from "@steading/kernel";
import type { Scanner } from "./scan/scanner.ts";

export interface RecordQuery {
  readonly stream: StreamName;
  readonly correlation?: string;
  readonly kind?: string;
  /** Epoch milliseconds, inclusive. */
  readonly from?: number;
  /** Exclusive. */
  readonly to?: number;
  /** Records with a greater sequence number. */
  readonly after?: number;
  /** At most 1 000; that is also the default. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export interface FoundRecords {
  /** Oldest first. */
  readonly records: readonly StoredRecord[];
  /** More match; ask again after the last one. */
  readonly truncated: boolean;
}

export type RecordSearch = (query: RecordQuery) => Promise<FoundRecords>;

const PAGE = 1_000;

/** Sees what is on disk when it is asked: a record that was answered is found. */
export function createRecordSearch({ scanner }: { scanner: Scanner }): RecordSearch {
  return ({ after = 0, limit = PAGE, signal, ...query }) =>
    scanner.ask("records", { ...query, after, limit: Math.min(limit, PAGE) }, signal);
}
