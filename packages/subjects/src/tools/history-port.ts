import type { Json } from "@steading/kernel";

export const AGGREGATIONS = ["raw", "mean", "min", "max", "first", "last", "sum", "count"] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

export interface HistoryQuestion {
  /** Canonical path of the property. */
  readonly path: string;
  /** Epoch milliseconds, `from` included, `to` not. */
  readonly from: number;
  readonly to: number;
  readonly aggregation: Aggregation;
  /** Most points in the answer; with an aggregation the time is divided into this many equal parts. */
  readonly buckets: number;
}

export interface HistoryPoint {
  readonly at: number;
  readonly value: Json;
  readonly quality?: string;
}

/** The time series, wherever it is kept. */
export interface HistoryPort {
  read(
    question: HistoryQuestion,
    signal: AbortSignal,
  ): Promise<{ readonly points: readonly HistoryPoint[]; readonly truncated: boolean }>;
}
