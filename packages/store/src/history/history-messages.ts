import type { BlockingLine } from "../threads/blocking-port.ts";
import type { Compacted } from "./compact.ts";
import type { DatabaseFailure } from "../sqlite/database-failure.ts";

export interface SeriesRow {
  readonly id: number;
  readonly path: string;
  readonly unit: string | null;
  /** Milliseconds; null takes the default. */
  readonly hold: number | null;
}

/** Readings in columns: four arrays cross to a thread for the price of one object. */
export interface ReadingColumns {
  readonly length: number;
  readonly series: Uint32Array;
  readonly at: Float64Array;
  /** For text: the position in `texts`. */
  readonly value: Float64Array;
  readonly flags: Uint8Array;
  readonly texts: readonly string[];
}

export interface ReadingsMessage {
  readonly kind: "readings";
  /** Counts messages; the answer names the last one that was written. */
  readonly batch: number;
  readonly columns: ReadingColumns;
  /** Series that are unknown to the database, or have changed. */
  readonly series: readonly SeriesRow[];
  readonly sync: boolean;
}

export type ToHistoryWriter =
  | ReadingsMessage
  /** Drops what is older, each level for itself; the times are whole hours. */
  | {
      readonly kind: "prune";
      readonly raw: number;
      readonly minute: number;
      readonly hour: number;
      /** Give the room back afterwards, and say so under this number. */
      readonly tidy?: number;
    }
  | { readonly kind: "close" };

export type FromHistoryWriter =
  | { readonly kind: "ready"; readonly uncheckedBytes: number }
  | { readonly kind: "refused"; readonly failure: DatabaseFailure }
  | { readonly kind: "written"; readonly to: number }
  | { readonly kind: "failed"; readonly to: number; readonly failure: DatabaseFailure }
  | { readonly kind: "pruned"; readonly rows: number }
  | { readonly kind: "unpruned"; readonly failure: DatabaseFailure }
  | { readonly kind: "tidied"; readonly tidy: number; readonly rows: number; readonly compacted: Compacted }
  | { readonly kind: "untidied"; readonly tidy: number; readonly failure: DatabaseFailure }
  | { readonly kind: "closed" };

export interface HistoryWriterData {
  readonly file: string;
  readonly maxBytes: number;
  readonly checkBytes: number;
  readonly openedAt: number;
  readonly batchReadings: number;
  readonly holdMs: number;
  readonly line: BlockingLine;
}
