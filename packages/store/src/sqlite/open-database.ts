import { closeSync, openSync } from "node:fs";
import Database from "better-sqlite3";

/** The five calls of the driver that this package uses; everything else of it stays in this folder. */
export type Db = Database.Database;
export type Statement = Database.Statement;

/**
 * Opens for reading and writing, creating the file for its owner alone. SQLite gives `-wal` and `-shm` the mode of the
 * database, so creating it ourselves settles all three.
 */
export function openForWriting(file: string, { busyMs = 5_000 }: { busyMs?: number } = {}): Db {
  closeSync(openSync(file, "a", 0o600));
  return new Database(file, { timeout: busyMs });
}

export function openForReading(file: string): Db {
  return new Database(file, { readonly: true, fileMustExist: true });
}

/** The driver's code of a thrown thing, such as `SQLITE_FULL`; undefined for everything else. */
export function sqliteCode(error: unknown): string | undefined {
  return error instanceof Database.SqliteError ? error.code : undefined;
}
