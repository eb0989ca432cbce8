import type { ScanAnswers } from "../scan/scan-messages.ts";
import type { Db } from "../sqlite/open-database.ts";
import { createBucketFiller } from "./bucket-filler.ts";
import { createExportPieces } from "./export-piece.ts";
import { toRangeColumns, type RawRow } from "./range-columns.ts";
import { createSpanReader } from "./span-reader.ts";

/** The questions about `history.db`. The database is opened by the first question: a store that nobody asks about the past needs no reader. */
export function createHistoryScans(open: () => Db): ScanAnswers<"range" | "buckets" | "exportPiece"> {
  let prepared: ReturnType<typeof prepare> | undefined;
  const ready = () => (prepared ??= prepare(open()));
  return {
    range({ series, from, to, newestFirst, limit }) {
      const { oldest, newest } = ready();
      const rows = (newestFirst ? newest : oldest).all(series, from, to, limit + 1) as RawRow[]; // the statement's columns
      return {
        atOnce: { columns: toRangeColumns(rows, Math.min(rows.length, limit)), truncated: rows.length > limit },
      };
    },
    *buckets({ series, level, from, to, width, hold, until }) {
      const { spans } = ready();
      const filler = createBucketFiller({ from, to, width, hold, until });
      const before = spans.before(series, from);
      if (before) filler.carryIn(before);
      for (const slice of spans.slices(series, level, from, to)) {
        for (const span of slice) filler.add(span);
        yield;
      }
      return filler.finish();
    },
    exportPiece: (ask) => ({ atOnce: ready().exportPiece(ask) }),
  };
}

function prepare(db: Db) {
  const range = (order: "ASC" | "DESC") =>
    db
      .prepare(`SELECT at, value, flags FROM raw WHERE series = ? AND at >= ? AND at < ? ORDER BY at ${order} LIMIT ?`)
      .raw();
  return {
    oldest: range("ASC"),
    newest: range("DESC"),
    spans: createSpanReader(db),
    exportPiece: createExportPieces(db),
  };
}
