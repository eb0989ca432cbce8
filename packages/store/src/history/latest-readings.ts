import type { Reading } from "../history.ts";
import type { SeriesRow } from "./history-messages.ts";

/** The newest reading of each series that was written or asked for. Bounded by the number of series. */
export interface LatestReadings {
  get(series: SeriesRow): Reading | undefined;
  set(series: SeriesRow, reading: Reading): void;
  /** What is on disk is not what was added: ask the disk again. */
  clear(): void;
}

export function createLatestReadings({ load }: { load: (series: SeriesRow) => Reading | undefined }): LatestReadings {
  const latest = new Map<number, Reading>();

  function known(series: SeriesRow): Reading | undefined {
    const found = latest.get(series.id) ?? load(series);
    if (found) latest.set(series.id, found);
    return found;
  }

  return {
    get: known,
    set(series, { path, value, at, quality }) {
      const before = known(series);
      if (before && at < before.at) return;
      const own = typeof value === "object" && value !== null ? structuredClone(value) : value;
      latest.set(series.id, { path, value: own, at, quality });
    },
    clear: () => latest.clear(),
  };
}
