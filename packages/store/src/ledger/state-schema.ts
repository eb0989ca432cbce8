import type { Schema } from "../sqlite/migrate.ts";

/** `state.db`. Each stream is a table of its own: appending at the end of an integer key is SQLite's cheapest insert. */
export const STATE_SCHEMA: Schema = {
  applicationId: 0x53746431,
  migrations: [
    {
      says: "entries of state, three streams, and the counters that outlive what they counted",
      sql: `
        CREATE TABLE state (
          space TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, revision INTEGER NOT NULL,
          PRIMARY KEY (space, key)
        ) WITHOUT ROWID;
        CREATE TABLE journal_audit (
          seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, correlation TEXT, data TEXT NOT NULL
        );
        CREATE TABLE journal_runs (
          seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, correlation TEXT, data TEXT NOT NULL
        );
        CREATE TABLE journal_bus (
          seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, correlation TEXT, data TEXT NOT NULL
        );
        CREATE TABLE counters (
          only INTEGER PRIMARY KEY CHECK (only = 1),
          revision INTEGER NOT NULL, audit INTEGER NOT NULL, runs INTEGER NOT NULL, bus INTEGER NOT NULL
        );
        INSERT INTO counters VALUES (1, 0, 0, 0, 0);
      `,
    },
    {
      says: "a name for this life of the state, and what retention needs to know",
      sql: `
        CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        INSERT INTO meta VALUES ('epoch', lower(hex(randomblob(16))));
        ALTER TABLE journal_bus ADD COLUMN light INTEGER NOT NULL DEFAULT 1;
        UPDATE journal_bus SET light = 0 WHERE json_extract(data, '$.level') IN ('warn', 'error');
        CREATE INDEX journal_runs_of_run ON journal_runs (correlation, seq);
        ALTER TABLE counters ADD COLUMN audit_dropped INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE counters ADD COLUMN runs_dropped INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE counters ADD COLUMN bus_dropped INTEGER NOT NULL DEFAULT 0;
      `,
    },
  ],
};
