import type { Db, Statement } from "../sqlite/open-database.ts";
import type { TakenBatch } from "./batch-taker.ts";
import type { JournalRetention } from "./journal-retention.ts";
import type { ReserveFrame } from "./reserve-file.ts";
import { OP_DELETE, OP_PUT, type Counters, type Ops } from "./writer-messages.ts";

export interface BatchWriter {
  /** One transaction: all of the batch or nothing. Returns what the counters are after it; throws what the driver throws. */
  write(batch: TakenBatch): Counters;
  /** What the reserve holds, in one transaction and synced. */
  replay(frames: readonly ReserveFrame[]): void;
  counters(): Counters;
}

const RECORD_COLUMNS = "(seq, at, kind, correlation, data) VALUES (?, ?, ?, ?, ?)";

export function createBatchWriter({ db, retention }: { db: Db; retention: JournalRetention }): BatchWriter {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const rollback = db.prepare("ROLLBACK");
  const remove = db.prepare("DELETE FROM state WHERE space = ? AND key = ?");
  // Every column is given, so replacing the row equals updating it and is a third faster.
  const put = db.prepare("INSERT OR REPLACE INTO state (space, key, value, revision) VALUES (?, ?, ?, ?)");
  const count = db.prepare("UPDATE counters SET revision = ?, audit = ?, runs = ?, bus = ?");
  const counted = db.prepare("SELECT revision, audit, runs, bus FROM counters");
  const append: Readonly<Record<string, Statement>> = {
    audit: db.prepare(`INSERT INTO journal_audit ${RECORD_COLUMNS}`),
    runs: db.prepare(`INSERT INTO journal_runs ${RECORD_COLUMNS}`),
  };
  const appendBus = db.prepare(
    "INSERT INTO journal_bus (seq, at, kind, correlation, data, light) VALUES (?, ?, ?, ?, ?, ?)",
  );
  let syncing: boolean | undefined;

  function apply(ops: Ops): void {
    for (let i = 0; i < ops.length;) {
      switch (ops[i]) {
        case OP_DELETE:
          remove.run(ops[i + 1], ops[i + 2]);
          i += 4;
          break;
        case OP_PUT:
          put.run(ops[i + 1], ops[i + 2], ops[i + 3], ops[i + 4]);
          i += 5;
          break;
        default:
          appendRecord(ops, i + 1);
          i += 8;
      }
    }
  }

  function appendRecord(ops: Ops, i: number): void {
    const stream = ops[i];
    if (stream === "bus") appendBus.run(ops[i + 1], ops[i + 2], ops[i + 3], ops[i + 4], ops[i + 5], ops[i + 6]);
    else append[String(stream)]?.run(ops[i + 1], ops[i + 2], ops[i + 3], ops[i + 4], ops[i + 5]);
    retention.appended(stream, ops[i + 4]);
  }

  function applyAll({ messages, more }: TakenBatch): Counters | undefined {
    let counters: Counters | undefined;
    for (const message of messages) {
      apply(message.ops);
      ({ counters } = message);
    }
    for (let message = more(); message; message = more()) {
      apply(message.ops);
      ({ counters } = message);
    }
    return counters;
  }

  function inTransaction(sync: boolean, work: () => Counters | undefined): Counters {
    // SQLite ignores the setting inside a transaction, so it is made before.
    if (sync !== syncing) db.pragma(`synchronous = ${sync ? "FULL" : "NORMAL"}`);
    syncing = sync;
    begin.run();
    try {
      const counters = work();
      if (counters) count.run(counters.revision, counters.audit, counters.runs, counters.bus);
      commit.run();
      return counters ?? readCounters();
    } catch (error) {
      // A full disk may have rolled back already.
      if (db.inTransaction) rollback.run();
      throw error;
    }
  }

  // The row is made by the first migration and never deleted; its columns are the type's fields.
  const readCounters = (): Counters => counted.get() as Counters;

  return {
    write: (batch) => inTransaction(batch.sync, () => applyAll(batch)),
    replay(frames) {
      inTransaction(true, () => {
        for (const { ops } of frames) apply(ops);
        return frames.at(-1)?.counters;
      });
    },
    counters: readCounters,
  };
}
