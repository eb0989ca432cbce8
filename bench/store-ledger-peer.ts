import { createRequire } from "node:module";
import type { Commit } from "@steading/kernel";
import type DatabaseType from "better-sqlite3";

// The driver is a dependency of packages/store; the peer must be the very same copy.
const require = createRequire(new URL("../packages/store/package.json", import.meta.url));
const Database = require("better-sqlite3") as typeof DatabaseType;

export interface RawPeer {
  /** One transaction. */
  write(group: readonly Commit[]): void;
  close(): void;
}

/** What a careful author would write by hand for the same tables: prepared statements, one transaction a group. */
export function openRawPeer({ file, synchronous }: { file: string; synchronous: "FULL" | "NORMAL" }): RawPeer {
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.pragma(`synchronous = ${synchronous}`);
  db.exec(`
    CREATE TABLE state (space TEXT, key TEXT, value TEXT, revision INTEGER, PRIMARY KEY (space, key)) WITHOUT ROWID;
    CREATE TABLE journal_audit (seq INTEGER PRIMARY KEY, at INTEGER, kind TEXT, correlation TEXT, data TEXT);
  `);
  const put = db.prepare("INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?)");
  const append = db.prepare("INSERT INTO journal_audit (at, kind, correlation, data) VALUES (?, ?, ?, ?)");
  let revision = 0;
  const write = db.transaction((group: readonly Commit[]) => {
    for (const { puts = [], records = [] } of group) {
      revision++;
      for (const { space, key, value } of puts) put.run(space, key, JSON.stringify(value), revision);
      for (const { at, kind, correlation, data } of records) append.run(at, kind, correlation, JSON.stringify(data));
    }
  });
  return { write: (group) => write(group), close: () => void db.close() };
}
