import type { Db } from "../sqlite/open-database.ts";
import type { ReadingColumns, ReadingsMessage, SeriesRow } from "./history-messages.ts";
import { numberOf } from "./reading-codec.ts";
import { createRollUp, type RollUp } from "./roll-up.ts";

export interface ReadingWriter {
  /** One transaction. Throws what the driver throws. */
  write(messages: readonly ReadingsMessage[]): void;
  readonly rollUp: RollUp;
}

export function createReadingWriter({ db, holdMs }: { db: Db; holdMs: number }): ReadingWriter {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const rollback = db.prepare("ROLLBACK");
  const insert = db.prepare("INSERT OR REPLACE INTO raw (series, at, value, flags) VALUES (?, ?, ?, ?)");
  const define = db.prepare("INSERT OR REPLACE INTO series (id, path, unit, hold) VALUES (@id, @path, @unit, @hold)");
  const holds = new Map<number, number>();
  const known = db.prepare("SELECT id, hold FROM series WHERE hold IS NOT NULL").all() as SeriesRow[]; // two of its columns
  for (const { id, hold } of known) if (hold !== null) holds.set(id, hold);
  const rollUp = createRollUp({ db, holdOf: (series) => holds.get(series) ?? holdMs });
  /** Definitions that no transaction has kept yet: readings must never be there without the series they are of. */
  let undefinedYet: SeriesRow[] = [];
  let syncing: boolean | undefined;

  function insertAll(columns: ReadingColumns): void {
    const { series, at, value, flags, texts } = columns;
    for (const i of inStoredOrder(columns)) {
      const id = series[i] ?? 0;
      const time = at[i] ?? 0;
      const flag = flags[i] ?? 0;
      const number = value[i] ?? 0;
      const stored = numberOf(number, flag) === undefined ? (texts[number] ?? null) : number;
      insert.run(id, time, stored, flag);
      rollUp.add(id, time, stored, flag);
    }
  }

  return {
    rollUp,
    write(messages) {
      for (const { series } of messages) {
        for (const row of series) if (row.hold !== null) holds.set(row.id, row.hold);
        undefinedYet.push(...series);
      }
      const sync = messages.some((message) => message.sync);
      if (sync !== syncing) db.pragma(`synchronous = ${sync ? "FULL" : "NORMAL"}`);
      syncing = sync;
      begin.run();
      try {
        for (const row of undefinedYet) define.run(row);
        for (const { columns } of messages) insertAll(columns);
        rollUp.settle();
        commit.run();
        undefinedYet = [];
      } catch (error) {
        if (db.inTransaction) rollback.run();
        rollUp.forget();
        throw error;
      }
    },
  };
}

/** By series, then time: neighbours on disk are written together. Polls mostly arrive that way already. */
function inStoredOrder({ length, series, at }: ReadingColumns): Uint32Array {
  const order = new Uint32Array(length);
  let sorted = true;
  for (let i = 0; i < length; i++) {
    order[i] = i;
    if (sorted && i > 0 && before(i, i - 1) < 0) sorted = false;
  }
  return sorted ? order : order.sort(before);

  function before(a: number, b: number): number {
    const bySeries = (series[a] ?? 0) - (series[b] ?? 0);
    if (bySeries !== 0) return bySeries;
    const byTime = (at[a] ?? 0) - (at[b] ?? 0);
    return byTime !== 0 ? byTime : a - b;
  }
}
