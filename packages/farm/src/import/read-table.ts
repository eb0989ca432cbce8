import type * as z from "zod";
import { createTableAccount, type TableAccount, type TableReport } from "./import-report.ts";
import type { ImportSource, SourceRow } from "./import-source.ts";

export interface ReadTable<T> {
  readonly rows: readonly T[];
  readonly account: TableAccount;
  report(): TableReport;
}

/** Why a row is left out. */
export class Skipped {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/**
 * Reads one table, row by row: what the schema does not accept and what `toRow` refuses is skipped with its reason. With
 * `most` only the newest are kept, in memory as well: the reference never drops anything.
 */
export function readTable<S extends z.ZodType, T>({
  source,
  table,
  schema,
  toRow,
  most = Number.POSITIVE_INFINITY,
}: {
  readonly source: ImportSource;
  readonly table: string;
  readonly schema: S;
  readonly toRow: (given: z.output<S>, account: TableAccount) => T | Skipped;
  readonly most?: number | undefined;
}): ReadTable<T> {
  const account = createTableAccount(table);
  let rows: T[] = [];
  let found = 0;
  let tooMany = 0;
  const trim = (): void => {
    const over = Math.max(0, rows.length - most);
    tooMany += over;
    rows = rows.slice(over);
  };
  for (const row of source.tables.includes(table) ? source.rows(table) : []) {
    found += 1;
    const parsed = schema.safeParse(withoutNulls(row));
    const made = parsed.success ? toRow(parsed.data, account) : new Skipped(wordsOf(parsed.error.issues));
    if (made instanceof Skipped) {
      account.skip(row["id"] ?? row["key"], made.reason);
      continue;
    }
    rows.push(made);
    if (rows.length > 2 * most) trim();
  }
  trim();
  account.took(rows.length);
  if (tooMany > 0) account.skip(undefined, `only the newest ${most} are kept`, tooMany);
  return { rows, account, report: () => account.report(found) };
}

/** So that a column that is null and one that an older version does not have are the same. */
function withoutNulls(row: SourceRow): SourceRow {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** Without what stands in the row: reasons are counted, and a report should not repeat somebody's data. */
function wordsOf(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string {
  const [first] = issues;
  const where = first?.path.filter((step) => typeof step === "string").join(".") ?? "";
  return `${where === "" ? "the row" : where}: ${(first?.message ?? "makes no sense").slice(0, 160)}`;
}
