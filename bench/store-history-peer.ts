import { createRequire } from "node:module";
import { setStorePragmas } from "./store-pragmas-peer.ts";
import type { Reading } from "@steading/store";
import type DatabaseType from "better-sqlite3";

// The driver is a dependency of packages/store; the peer must be the very same copy.
const require = createRequire(new URL("../packages/store/package.json", import.meta.url));
const Database = require("better-sqlite3") as typeof DatabaseType;

export interface RawHistory {
  append(readings: readonly Reading[]): void;
  latest(path: string): unknown;
  range(path: string, from: number, to: number): unknown[];
  hours(path: string, from: number, to: number): unknown[];
  close(): void;
}

/** The same table written and asked by hand on the thread that wants to know. */
export function openRawHistory(file: string): RawHistory {
  const db = new Database(file);
  setStorePragmas(db, "NORMAL");
  db.exec(`
    CREATE TABLE series (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
    CREATE TABLE raw (series INTEGER, at INTEGER, value, flags INTEGER, PRIMARY KEY (series, at)) WITHOUT ROWID;
  `);
  const define = db.prepare("INSERT INTO series (path) VALUES (?)");
  const insert = db.prepare("INSERT OR REPLACE INTO raw VALUES (?, ?, ?, ?)");
  const newest = db.prepare("SELECT at, value, flags FROM raw WHERE series = ? ORDER BY at DESC LIMIT 1");
  const range = db.prepare("SELECT at, value, flags FROM raw WHERE series = ? AND at >= ? AND at < ? ORDER BY at");
  const hours = db.prepare(
    "SELECT at / 3600000 AS hour, count(*), avg(value), min(value), max(value) FROM raw " +
      "WHERE series = ? AND at >= ? AND at < ? GROUP BY hour",
  );
  const ids = new Map<string, number>();
  const idOf = (path: string): number => {
    const known = ids.get(path);
    if (known !== undefined) return known;
    const id = Number(define.run(path).lastInsertRowid);
    ids.set(path, id);
    return id;
  };
  const append = db.transaction((readings: readonly Reading[]) => {
    for (const { path, at, value } of readings) insert.run(idOf(path), at, value, 0);
  });
  return {
    append: (readings) => append(readings),
    latest: (path) => newest.get(idOf(path)),
    range: (path, from, to) => range.all(idOf(path), from, to),
    hours: (path, from, to) => hours.all(idOf(path), from, to),
    close: () => void db.close(),
  };
}
