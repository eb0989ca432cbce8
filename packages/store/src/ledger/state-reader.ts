import type { StoredRecord, StreamName } from "@steading/kernel";
import { toStoreError } from "../database-error.ts";
import { toDatabaseFailure } from "../sqlite/database-failure.ts";
import { openForReading } from "../sqlite/open-database.ts";
import { fromOrderedKey, toOrderedKey } from "./ordered-key.ts";
import { storedRecord } from "./stored-record.ts";

export interface DiskEntry {
  readonly json: string;
  readonly revision: number;
}

/** Reads `state.db` on the main thread: single rows, and pages along the primary key that the caller stops. */
export interface StateReader {
  get(space: string, key: string): DiskEntry | undefined;
  /** In code unit order, from the first key that has the prefix and is beyond `after`. Stop reading before calling again. */
  keys(space: string, prefix: string, after: string | undefined): IterableIterator<{ key: string } & DiskEntry>;
  records(stream: StreamName, after: number, limit: number): StoredRecord[];
  close(): void;
}

// The columns are those of the statements below; the schema says that none is null but the correlation.
interface StateRow {
  readonly key: string;
  readonly value: string;
  readonly revision: number;
}
interface RecordRow {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly correlation: string | null;
  readonly data: string;
}

export function createStateReader({ file }: { file: string }): StateReader {
  const db = openForReading(file);
  const one = db.prepare("SELECT key, value, revision FROM state WHERE space = ? AND key = ?");
  const from = db.prepare("SELECT key, value, revision FROM state WHERE space = ? AND key >= ? ORDER BY key");
  const beyond = db.prepare("SELECT key, value, revision FROM state WHERE space = ? AND key > ? ORDER BY key");
  const page = (stream: StreamName) =>
    db.prepare(`SELECT seq, at, kind, correlation, data FROM journal_${stream} WHERE seq > ? ORDER BY seq LIMIT ?`);
  const pages = { audit: page("audit"), runs: page("runs"), bus: page("bus") };

  /** A damaged page must reach people as a sentence, whoever asked. */
  function guarded<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw toStoreError(toDatabaseFailure(error, file));
    }
  }

  return {
    get: (space, key) =>
      guarded(() => {
        const row = one.get(toOrderedKey(space), toOrderedKey(key)) as StateRow | undefined;
        return row && { json: row.value, revision: row.revision };
      }),
    *keys(space, prefix, after) {
      const start = after === undefined || prefix > after ? from : beyond;
      const bound = start === from ? prefix : (after ?? "");
      const rows = start.iterate(toOrderedKey(space), toOrderedKey(bound)) as IterableIterator<StateRow>;
      try {
        for (let next = guarded(() => rows.next()); next.done !== true; next = guarded(() => rows.next())) {
          const key = fromOrderedKey(next.value.key);
          if (!key.startsWith(prefix)) return;
          yield { key, json: next.value.value, revision: next.value.revision };
        }
      } finally {
        rows.return?.();
      }
    },
    records: (stream, after, limit) =>
      guarded(() => {
        const rows = pages[stream].all(after, limit) as RecordRow[];
        return rows.map(({ seq, at, kind, correlation, data }) =>
          storedRecord(stream, seq, at, kind, correlation ?? undefined, data),
        );
      }),
    close: () => void db.close(),
  };
}
