import { basename } from "node:path";
import { backupBeforeMigrating } from "./backup-before-migrating.ts";
import { checkIntegrity } from "./check-integrity.ts";
import type { DatabaseFailure } from "./database-failure.ts";
import { migrate, schemaState, type Schema } from "./migrate.ts";
import { openForWriting, type Db } from "./open-database.ts";

export interface OpenChecked {
  readonly file: string;
  readonly schema: Schema;
  readonly maxBytes: number;
  readonly checkBytes: number;
  /** Epoch milliseconds, for the name of a backup. */
  readonly openedAt: number;
}

export type OpenedDatabase =
  | { readonly db: Db; readonly uncheckedBytes: number }
  | { readonly refused: DatabaseFailure };

/** What the write-ahead log may keep of the disk after it was carried over. */
const LOG_BYTES = 64 * 1024 * 1024;

/** Looks before it touches: a file that is newer, damaged or not ours is closed again as it was found. */
export function openCheckedDatabase(options: OpenChecked): OpenedDatabase {
  const db = openForWriting(options.file);
  try {
    const opened = prepare(db, options);
    if ("refused" in opened) db.close();
    return opened;
  } catch (error) {
    db.close();
    throw error;
  }
}

function prepare(db: Db, { file, schema, maxBytes, checkBytes, openedAt }: OpenChecked): OpenedDatabase {
  const name = basename(file);
  const refuse = (code: DatabaseFailure["code"], message: string) => ({ refused: { code, message } });
  const state = schemaState(db, schema);
  if (state.kind === "newer") {
    const knows = schema.migrations.length;
    return refuse("SCHEMA_NEWER", `${name} has schema ${state.version}, this version of Steading knows up to ${knows}`);
  }
  if (state.kind === "foreign") return refuse("STORE_CORRUPT", `${name} was written by another program`);
  const integrity = checkIntegrity(db, checkBytes);
  if (integrity.kind === "damaged") {
    return refuse("STORE_CORRUPT", `${name} is damaged: ${integrity.findings.join("; ")}`);
  }
  db.pragma("journal_mode = WAL");
  const pageSize = Number(db.pragma("page_size", { simple: true }));
  db.pragma(`journal_size_limit = ${LOG_BYTES}`);
  // The log is carried over when it is half of that: the same pages are written many times and carried over once.
  db.pragma(`wal_autocheckpoint = ${Math.floor(LOG_BYTES / 2 / pageSize)}`);
  db.pragma(`max_page_count = ${Math.max(1, Math.floor(maxBytes / pageSize))}`);
  if (state.kind === "older" && state.version > 0) {
    backupBeforeMigrating({ db, version: state.version, at: openedAt });
  }
  migrate(db, schema);
  return { db, uncheckedBytes: integrity.kind === "skipped" ? integrity.bytes : 0 };
}
