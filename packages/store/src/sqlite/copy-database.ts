import { chmodSync, closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import type { Db } from "./open-database.ts";

/**
 * A whole and compact copy as of one moment, however much is written meanwhile. Takes the time of reading everything, so it
 * belongs on a thread of its own or into a start.
 */
export function copyDatabase(db: Db, file: string): void {
  rmSync(file, { force: true });
  db.prepare("VACUUM INTO ?").run(file);
  chmodSync(file, 0o600);
  syncFile(file);
}

/** Makes sure that a file, or the names in a directory, survive power loss. */
export function syncFile(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
