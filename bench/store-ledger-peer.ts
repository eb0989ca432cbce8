import { createRequire } from "node:module";
import { setStorePragmas } from "./store-pragmas-peer.ts";
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
  setStorePragmas(db, synchronous);
  db.exec(`
    CREATE TABLE state (space TEXT, key TEXT, value TEXT, revision INTEGER, PRIMARY KEY (space, key)) WITHOUT ROWID;
    CREATE TABLE journal_audit (seq INTEGER PRIMARY KEY, at INTEGER, kind TEXT, correlation TEXT, data TEXT);
    CREATE TABLE journal_runs (seq INTEGER PRIMARY KEY, at INTEGER, kind TEXT, correlation TEXT, data TEXT);
    CREATE INDEX journal_runs_of_run ON journal_runs (correlation, seq);
  `);
  const put = db.prepare("INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?)");
  const appendTo = (stream: string) =>
    db.prepare(`INSERT INTO journal_${stream} (at, kind, correlation, data) VALUES (?, ?, ?, ?)`);
  const append: Readonly<Record<string, DatabaseType.Statement>> = { audit: appendTo("audit"), runs: appendTo("runs") };
  let revision = 0;
  const write = db.transaction((group: readonly Commit[]) => {
    for (const { puts = [], records = [] } of group) {
      revision++;
      for (const { space, key, value } of puts) put.run(space, key, JSON.stringify(value), revision);
      for (const { stream, at, kind, correlation, data } of records)
        append[stream]?.run(at, kind, correlation, JSON.stringify(data));
    }
  });
  return { write: (group) => write(group), close: () => void db.close() };
}
