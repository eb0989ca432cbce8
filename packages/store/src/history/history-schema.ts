import type { Schema } from "../sqlite/migrate.ts";

const SPAN_COLUMNS = `
  n INTEGER NOT NULL, bad INTEGER NOT NULL, sum REAL NOT NULL, min REAL, max REAL, first REAL, last REAL,
  first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, held INTEGER NOT NULL, integral REAL NOT NULL, covered INTEGER NOT NULL`;

/** `history.db`. Rows of one series lie together in time order: that is how they are read. */
export const HISTORY_SCHEMA: Schema = {
  applicationId: 0x53746432,
  migrations: [
    {
      says: "series, their readings, and what minutes and hours add up to",
      sql: `
        CREATE TABLE series (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, unit TEXT, hold INTEGER);
        CREATE TABLE raw (
          series INTEGER NOT NULL, at INTEGER NOT NULL, value, flags INTEGER NOT NULL, PRIMARY KEY (series, at)
        ) WITHOUT ROWID;
        CREATE TABLE minute (
          series INTEGER NOT NULL, at INTEGER NOT NULL, ${SPAN_COLUMNS}, PRIMARY KEY (series, at)
        ) WITHOUT ROWID;
        CREATE TABLE hour (
          series INTEGER NOT NULL, at INTEGER NOT NULL, ${SPAN_COLUMNS}, PRIMARY KEY (series, at)
        ) WITHOUT ROWID;
      `,
    },
  ],
};
