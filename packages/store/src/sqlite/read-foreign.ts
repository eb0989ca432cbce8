import { openForWriting, type Db } from "./open-database.ts";

/** A value as SQLite has it. A blob is bytes, which no column that we read should be. */
export type ForeignValue = string | number | Uint8Array | null;
export type ForeignRow = Readonly<Record<string, ForeignValue>>;

export interface ForeignReader {
  /** Names of its real tables; views are left out, whoever made the file could hide any amount of work in one. */
  readonly tables: readonly string[];
  count(table: string): number;
  /** In the order of their numbers, one at a time. Nothing else may be asked until the iteration ends. */
  rows(table: string): IterableIterator<ForeignRow>;
  /** The highest number that AUTOINCREMENT has given out; 0 where it never has. */
  lastId(table: string): number;
  close(): void;
}

/** Reads a copy of another program's database. It is opened for writing because a log left beside it must be played back. */
export function readForeign(file: string): ForeignReader {
  const db = openForWriting(file);
  try {
    return reader(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

function reader(db: Db): ForeignReader {
  // Text inside the file must not become code of ours.
  db.pragma("trusted_schema = OFF");
  db.pragma("cell_size_check = ON");
  const tables = db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .pluck()
    .all() as string[]; // a column of names
  db.pragma("query_only = ON");
  const counted = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").get() !== undefined;
  const withoutNumbers = new Set(db.prepare("SELECT name FROM pragma_table_list WHERE wr = 1").pluck().all());
  const from = (table: string): string => {
    if (!tables.includes(table)) throw new RangeError(`There is no table ${table}.`);
    return `FROM "${table.replaceAll('"', '""')}"`;
  };
  return {
    tables,
    count: (table) =>
      Number(
        db
          .prepare(`SELECT count(*) ${from(table)}`)
          .pluck()
          .get(),
      ),
    rows(table) {
      const order = withoutNumbers.has(table) ? "" : "ORDER BY rowid";
      return db.prepare(`SELECT * ${from(table)} ${order}`).iterate() as IterableIterator<ForeignRow>; // rows are objects
    },
    lastId(table) {
      if (!counted) return 0;
      const last = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?").pluck().get(table);
      return typeof last === "number" ? last : 0;
    },
    close: () => void db.close(),
  };
}
