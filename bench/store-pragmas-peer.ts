import type { Database } from "better-sqlite3";

/** What the store sets on its databases, so that a peer differs in nothing but who does the work. */
export function setStorePragmas(db: Database, synchronous: "FULL" | "NORMAL"): void {
  const logBytes = 64 * 1024 * 1024;
  db.pragma("journal_mode = WAL");
  db.pragma(`synchronous = ${synchronous}`);
  db.pragma(`journal_size_limit = ${logBytes}`);
  db.pragma(`wal_autocheckpoint = ${Math.floor(logBytes / 2 / Number(db.pragma("page_size", { simple: true })))}`);
}
