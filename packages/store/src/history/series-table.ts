import type { SeriesInfo, SeriesOptions } from "../history.ts";
import type { SeriesRow } from "./history-messages.ts";

/** Which number a path has. Numbers are given here, on the main thread, and reach the database with the first readings. */
export interface SeriesTable {
  find(path: string): SeriesRow | undefined;
  /** The series of a path, numbered if it is unknown; undefined when there are too many. */
  ensure(path: string): SeriesRow | undefined;
  define(path: string, options: SeriesOptions): boolean;
  /** What the database does not know yet; handed out once. */
  takeUnsaved(): readonly SeriesRow[];
  list(prefix: string, after: string | undefined, limit: number): readonly SeriesInfo[];
  readonly size: number;
}

export function createSeriesTable({ known, limit }: { known: readonly SeriesRow[]; limit: number }): SeriesTable {
  const byPath = new Map(known.map((row) => [row.path, row]));
  let nextId = known.reduce((highest, { id }) => Math.max(highest, id), 0) + 1;
  let unsaved = new Map<string, SeriesRow>();
  /** Rebuilt when it is asked for: series are listed rarely and come in crowds. */
  let sorted: string[] | undefined;

  function save(row: SeriesRow): SeriesRow {
    byPath.set(row.path, row);
    unsaved.set(row.path, row);
    return row;
  }

  function ensure(path: string): SeriesRow | undefined {
    const found = byPath.get(path);
    if (found || byPath.size >= limit) return found;
    sorted = undefined;
    return save({ id: nextId++, path, unit: null, hold: null });
  }

  return {
    find: (path) => byPath.get(path),
    ensure,
    define(path, { unit, hold }) {
      const row = ensure(path);
      if (!row) return false;
      const defined = { ...row, unit: unit ?? row.unit, hold: hold ?? row.hold };
      if (defined.unit !== row.unit || defined.hold !== row.hold) save(defined);
      return true;
    },
    takeUnsaved() {
      const rows = [...unsaved.values()];
      unsaved = new Map();
      return rows;
    },
    list(prefix, after, count) {
      sorted ??= [...byPath.keys()].sort();
      const start = after === undefined || after < prefix ? prefix : after;
      const found: SeriesInfo[] = [];
      for (let i = firstAtLeast(sorted, start); i < sorted.length && found.length < count; i++) {
        const path = sorted[i] ?? "";
        if (!path.startsWith(prefix)) break;
        if (path === after) continue;
        const unit = byPath.get(path)?.unit ?? undefined;
        found.push(unit === undefined ? { path } : { path, unit });
      }
      return found;
    },
    get size() {
      return byPath.size;
    },
  };
}

function firstAtLeast(sorted: readonly string[], value: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
