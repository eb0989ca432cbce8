import type { Reading } from "../history.ts";
import { openForReading } from "../sqlite/open-database.ts";
import type { SeriesRow } from "./history-messages.ts";
import { fromStored, type StoredValue } from "./reading-codec.ts";

/** Single rows of `history.db`, on the main thread. */
export interface HistoryReader {
  /** Read once, at opening; the number of series is bounded. */
  series(): readonly SeriesRow[];
  latest(series: SeriesRow): Reading | undefined;
  close(): void;
}

export function createHistoryReader({ file }: { file: string }): HistoryReader {
  const db = openForReading(file);
  const newest = db.prepare("SELECT at, value, flags FROM raw WHERE series = ? ORDER BY at DESC LIMIT 1").raw();
  return {
    series: () => db.prepare("SELECT id, path, unit, hold FROM series").all() as SeriesRow[], // its columns
    latest({ id, path }) {
      const row = newest.get(id) as [at: number, value: StoredValue, flags: number] | undefined;
      if (!row) return undefined;
      const [at, value, flags] = row;
      return { path, at, ...fromStored(value, flags) };
    },
    close: () => void db.close(),
  };
}
