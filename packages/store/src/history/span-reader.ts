import type { Db } from "../sqlite/open-database.ts";
import { WIDTHS, type Level } from "./level.ts";
import { isGood, numberOf, type StoredValue } from "./reading-codec.ts";
import { createSpanTable } from "./span-table.ts";
import { spanOfReading, type Span } from "./span.ts";

/** Reads stretches from the coarsest level that is exact, in slices that keep other questions from waiting. */
export interface SpanReader {
  /** In time order; each slice is one short read. `level` must divide the buckets that the caller fills. */
  slices(series: number, level: Level, from: number, to: number): Generator<readonly Span[]>;
  /** The last thing known from before a time. */
  before(series: number, at: number): Span | undefined;
}

type RawRow = [at: number, value: StoredValue, flags: number];
const RAW_SLICE = 20_000;
const SPAN_SLICE = 5_000;

export function createSpanReader(db: Db): SpanReader {
  const raw = db
    .prepare(`SELECT at, value, flags FROM raw WHERE series = ? AND at >= ? AND at < ? ORDER BY at LIMIT ${RAW_SLICE}`)
    .raw();
  const rawBefore = db
    .prepare("SELECT at, value, flags FROM raw WHERE series = ? AND at < ? ORDER BY at DESC LIMIT 1")
    .raw();
  const tables = { minute: createSpanTable(db, "minute"), hour: createSpanTable(db, "hour") };

  function* rawSlices(series: number, from: number, to: number): Generator<readonly Span[]> {
    for (let start = from; start < to;) {
      const rows = raw.all(series, start, to) as RawRow[]; // the columns of the statement
      if (rows.length > 0) yield rows.map(toSpan);
      if (rows.length < RAW_SLICE) return;
      start = (rows.at(-1)?.[0] ?? to) + 1;
    }
  }

  function* slices(series: number, level: Level, from: number, to: number): Generator<readonly Span[]> {
    if (level === "raw") {
      yield* rawSlices(series, from, to);
      return;
    }
    const finer = level === "hour" ? "minute" : "raw";
    const width = WIDTHS[level];
    const first = Math.ceil(from / width) * width;
    const end = Math.floor(to / width) * width;
    if (first >= end) {
      yield* slices(series, finer, from, to);
      return;
    }
    if (from < first) yield* slices(series, finer, from, first);
    let next = first;
    for (let rows = tables[level].read(series, next, end, SPAN_SLICE); rows.length > 0;) {
      yield rows;
      next = (rows.at(-1)?.at ?? end) + width;
      rows = rows.length < SPAN_SLICE ? [] : tables[level].read(series, next, end, SPAN_SLICE);
    }
    // Behind the last row lies at most what is still open; it is only known to the finer level.
    if (next < end) yield* slices(series, finer, next, end);
    if (end < to) yield* slices(series, finer, end, to);
  }

  return {
    slices,
    before(series, at) {
      const row = rawBefore.get(series, at) as RawRow | undefined;
      const found = [row && toSpan(row), tables.minute.before(series, at), tables.hour.before(series, at)];
      return found.reduce((latest, span) => {
        if (!span || span.lastAt >= at) return latest;
        return latest && latest.lastAt >= span.lastAt ? latest : span;
      }, undefined);
    },
  };
}

function toSpan([at, value, flags]: RawRow): Span {
  return spanOfReading(at, numberOf(value, flags), isGood(flags));
}
