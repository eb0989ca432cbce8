import type { SourceValue } from "./import-source.ts";

/** Rows that share a reason, some of them by their numbers. */
export interface Remark {
  readonly reason: string;
  readonly rows: number;
  readonly examples: readonly (string | number)[];
}

export interface TableReport {
  readonly table: string;
  readonly found: number;
  readonly taken: number;
  readonly skipped: readonly Remark[];
  /** Rows that were taken, and what people should know about them. */
  readonly notes: readonly Remark[];
}

/** Keeps the account of one table while it is read. */
export interface TableAccount {
  took(rows?: number): void;
  skip(id: SourceValue | undefined, reason: string, rows?: number): void;
  note(id: SourceValue | undefined, reason: string): void;
  report(found: number): TableReport;
}

const MOST_REASONS = 40;
const MOST_EXAMPLES = 10;
const REST = "other reasons";

export function createTableAccount(table: string): TableAccount {
  let taken = 0;
  const skipped = new Map<string, { rows: number; examples: (string | number)[] }>();
  const notes: typeof skipped = new Map();

  function add(to: typeof skipped, id: SourceValue | undefined, reason: string, rows: number): void {
    const key = to.has(reason) || to.size < MOST_REASONS ? reason : REST;
    const remark = to.get(key) ?? { rows: 0, examples: [] };
    remark.rows += rows;
    if (remark.examples.length < MOST_EXAMPLES && (typeof id === "number" || typeof id === "string")) {
      remark.examples.push(typeof id === "string" ? id.slice(0, 80) : id);
    }
    to.set(key, remark);
  }
  const listed = (from: typeof skipped): Remark[] => [...from].map(([reason, remark]) => ({ reason, ...remark }));

  return {
    took: (rows = 1) => void (taken += rows),
    skip: (id, reason, rows = 1) => add(skipped, id, reason, rows),
    note: (id, reason) => add(notes, id, reason, 1),
    report: (found) => ({ table, found, taken, skipped: listed(skipped), notes: listed(notes) }),
  };
}
