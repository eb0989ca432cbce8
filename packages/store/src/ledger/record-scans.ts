import type { ScanAnswers, ScanRequest } from "../scan/scan-messages.ts";
import type { Db, Statement } from "../sqlite/open-database.ts";
import { storedRecord } from "./stored-record.ts";

type Ask = ScanRequest<"records">["ask"];

interface RecordRow {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly correlation: string | null;
  readonly data: string;
}

/** Rows looked at in one turn. */
const SLICE = 5_000;

/** Searches in the streams of `state.db`, on the scan thread. */
export function createRecordScans(open: () => Db): ScanAnswers<"records"> {
  const statements = new Map<string, Statement>();

  function statement(stream: Ask["stream"], byRun: boolean): Statement {
    const name = `${stream} ${byRun}`;
    const known = statements.get(name);
    if (known) return known;
    const where = byRun ? "correlation = ? AND seq > ?" : "seq > ?";
    const made = open().prepare(
      `SELECT seq, at, kind, correlation, data FROM journal_${stream} WHERE ${where} ORDER BY seq LIMIT ${SLICE}`,
    );
    statements.set(name, made);
    return made;
  }

  return {
    *records({ stream, correlation, kind, from = 0, to = Number.POSITIVE_INFINITY, after, limit }) {
      const found: RecordRow[] = [];
      for (let position = after; ;) {
        const rows = (
          correlation === undefined
            ? statement(stream, false).all(position)
            : statement(stream, true).all(correlation, position)
        ) as RecordRow[]; // the statement's columns
        for (const row of rows) {
          if (row.at < from || row.at >= to || (kind !== undefined && row.kind !== kind)) continue;
          found.push(row);
          if (found.length > limit) break;
        }
        const last = rows.at(-1);
        if (found.length > limit || rows.length < SLICE || !last) break;
        position = last.seq;
        yield;
      }
      const records = found
        .slice(0, limit)
        .map((row) => storedRecord(stream, row.seq, row.at, row.kind, row.correlation ?? undefined, row.data));
      return { records, truncated: found.length > limit };
    },
  };
}
