import type { Db } from "../sqlite/open-database.ts";
import type { Span } from "./span.ts";

/** A row of `minute` or `hour`. */
export interface SpanRow extends Span {
  readonly at: number;
}

export interface SpanTable {
  put(series: number, at: number, span: Span): void;
  /** In time order, [from, to). */
  read(series: number, from: number, to: number, limit?: number): SpanRow[];
  /** The last row that starts before this time. */
  before(series: number, at: number): SpanRow | undefined;
}

const COLUMNS = "n, bad, sum, min, max, first, last, first_at, last_at, held, integral, covered";
const SELECTED =
  "at, n, bad, sum, min, max, first, last, first_at AS firstAt, last_at AS lastAt, held, integral, covered";
const ALL = -1;

/** In the order of SELECTED. */
type Columns = [
  at: number,
  n: number,
  bad: number,
  sum: number,
  min: number | null,
  max: number | null,
  first: number | null,
  last: number | null,
  firstAt: number,
  lastAt: number,
  held: number,
  integral: number,
  covered: number,
];

function toRow([at, n, bad, sum, min, max, first, last, firstAt, lastAt, held, integral, covered]: Columns): SpanRow {
  return { at, n, bad, sum, min, max, first, last, firstAt, lastAt, held, integral, covered };
}

/** The columns are those of the statements and the schema keeps their types, hence the casts. */
export function createSpanTable(db: Db, table: "minute" | "hour"): SpanTable {
  const readable = `SELECT ${SELECTED} FROM ${table} WHERE series = ?`;
  // As lists: thousands are read for one question, and the driver takes twice as long to name their columns.
  const range = db.prepare(`${readable} AND at >= ? AND at < ? ORDER BY at LIMIT ?`).raw();
  const previous = db.prepare(`${readable} AND at < ? ORDER BY at DESC LIMIT 1`);
  const put = db.readonly
    ? undefined
    : db.prepare(
        `INSERT OR REPLACE INTO ${table} (series, at, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      );
  return {
    put(series, at, s) {
      put?.run(
        series,
        at,
        s.n,
        s.bad,
        s.sum,
        s.min,
        s.max,
        s.first,
        s.last,
        s.firstAt,
        s.lastAt,
        s.held,
        s.integral,
        s.covered,
      );
    },
    read: (series, from, to, limit = ALL) => (range.all(series, from, to, limit) as Columns[]).map(toRow),
    before: (series, at) => previous.get(series, at) as SpanRow | undefined,
  };
}
