import type { Durability, Duration, Json } from "@steading/kernel";
import { printStep } from "@steading/subjects";

export interface HistoryReading {
  readonly path: string;
  readonly value: Json;
  readonly at: number;
  readonly quality: "good" | "stale" | "bad" | "unknown";
}

export interface HistorySpan {
  readonly path: string;
  /** Inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

export interface HistoryStretch {
  readonly at: number;
  readonly count: number;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly mean: number | undefined;
}

/** The time series that the farm needs: a share of what the store offers. */
export interface FarmHistory {
  append(
    readings: readonly HistoryReading[],
    options?: { readonly durability?: Durability },
  ): Promise<{ readonly accepted: number; readonly dropped: number }>;
  latest(path: string): HistoryReading | undefined;
  range(
    query: HistorySpan & { readonly order?: "oldest first" | "newest first"; readonly limit?: number },
  ): Promise<{ readonly readings: readonly HistoryReading[]; readonly truncated: boolean }>;
  summary(query: HistorySpan): Promise<HistoryStretch>;
  buckets(
    query: HistorySpan & { readonly width?: Duration; readonly count?: number },
  ): Promise<{ readonly width: number; readonly buckets: readonly HistoryStretch[] }>;
  /** Drops what is older than it is kept. Absent where nothing is kept for long. */
  tidy?(): Promise<{ readonly rows: number; readonly compacted: string }>;
  series(options: { readonly prefix: string; readonly limit?: number }): readonly { readonly path: string }[];
}

/** A reading without a name is kept under this one. */
export const UNNAMED = "_default";

export function equipmentPath(id: number): string {
  return `/farm/equipment/${id}`;
}

/** Where the value of a metric is in the graph, and so in the history. By id, so that a new name keeps the past. */
export function metricPath(id: number, name: string): string {
  return `${equipmentPath(id)}/${printStep("measurements", name)}/value`;
}
