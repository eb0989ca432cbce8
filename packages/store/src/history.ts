import type { Durability, Duration, Json } from "@steading/kernel";

/** How far a value can be trusted; the position is what is stored. */
export const QUALITIES = ["good", "stale", "bad", "unknown"] as const;
export type Quality = (typeof QUALITIES)[number];

export interface Reading {
  /** The property it was read from, such as `/farm/tank/level`. */
  readonly path: string;
  readonly value: Json;
  /** Epoch milliseconds, when it was seen. Two readings of a path at one time are one: the later append stands. */
  readonly at: number;
  readonly quality: Quality;
}

export interface SeriesOptions {
  readonly unit?: string;
  /** How long a good value stands for itself when nothing follows; beyond it there is a gap. */
  readonly hold?: Duration;
}

export interface Appended {
  readonly accepted: number;
  /** Not stored: invalid, too old, too far ahead, or no room. The counters say which. */
  readonly dropped: number;
}

export interface RangeQuery {
  readonly path: string;
  /** Epoch milliseconds, inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly order?: "oldest first" | "newest first";
  /** At most 10 000; 1 000 when left out. */
  readonly limit?: number;
}
export interface RangePage {
  readonly readings: readonly Reading[];
  /** More lies in the range. Ask again from (or up to, newest first) the last `at`. */
  readonly truncated: boolean;
}

export interface BucketQuery {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** Width of a bucket. Left out: a round width that gives at most `count` buckets. */
  readonly width?: Duration;
  /** At most 5 000; 200 when left out. */
  readonly count?: number;
}

/** What is known about one stretch of time. Nothing is made up: where there is no reading there is no value. */
export interface Bucket {
  /** Start, epoch milliseconds. */
  readonly at: number;
  /** Good readings of a number or a boolean (false is 0, true is 1). */
  readonly count: number;
  /** Readings whose quality was not good. */
  readonly bad: number;
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** Of the readings. */
  readonly mean: number | undefined;
  /** Weighted by how long each value stood; gaps weigh nothing. */
  readonly timeMean: number | undefined;
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** Share of the time for which a good value is known, 0 to 1. */
  readonly coverage: number;
}
export interface Buckets {
  readonly width: number;
  readonly buckets: readonly Bucket[];
}

export interface ExportQuery {
  readonly paths: readonly string[];
  readonly from: number;
  readonly to: number;
  /** `json` is one array, `lines` one JSON object a line. */
  readonly format: "csv" | "json" | "lines";
  readonly level?: "raw" | "minute" | "hour";
  readonly signal?: AbortSignal;
}

export interface Tidied {
  /** Rows of all levels that were dropped. */
  readonly rows: number;
  /** Whether the room was given back to the disk; it is not while the disk has less room than the database takes. */
  readonly compacted: "done" | "not worth it" | "no room";
}

export interface SeriesInfo {
  readonly path: string;
  readonly unit?: string;
}

/**
 * What properties were, over time. Readings are not records: they have no sequence and nobody waits for them unless they
 * ask. `volatile` readings are collected for a moment and written together; a crash may lose that one batch.
 *
 * Codes: `STORE_BUSY`, `STORE_FULL`, `STORE_FAILED`, `STORE_CLOSED`, `SERIES_UNKNOWN`, `QUERY_INVALID`.
 */
export interface History {
  /** Says what the readings of a path are like. Without it a path is known from its first reading on. */
  define(path: string, options: SeriesOptions): void;
  /** Resolves when the readings are as safe as asked; at once for `volatile`, which is the default. */
  append(readings: readonly Reading[], options?: { readonly durability?: Durability }): Promise<Appended>;
  /** The newest reading, whether on disk or not. */
  latest(path: string): Reading | undefined;
  range(query: RangeQuery): Promise<RangePage>;
  buckets(query: BucketQuery): Promise<Buckets>;
  /** The whole range as one bucket, to the millisecond. */
  summary(query: Omit<BucketQuery, "width" | "count">): Promise<Bucket>;
  /** Pieces of text, made as they are asked for; any amount of data in constant memory. */
  export(query: ExportQuery): AsyncIterable<string>;
  /** Known series in path order, at most 1 000. */
  series(options?: {
    readonly prefix?: string;
    readonly after?: string;
    readonly limit?: number;
  }): readonly SeriesInfo[];
  /** Resolves when everything appended so far is written. */
  flush(): Promise<void>;
  /** Drops what is older than it is kept, in short steps between the readings, and gives the room back. */
  tidy(): Promise<Tidied>;
}
