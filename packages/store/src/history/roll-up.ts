import type { Db } from "../sqlite/open-database.ts";
import { HOUR, hourOf, MINUTE, minuteOf } from "./level.ts";
import { isGood, numberOf, type StoredValue } from "./reading-codec.ts";
import { createSpanTable } from "./span-table.ts";
import { extendSpan, joinSpans, spanOfReading, type Span } from "./span.ts";

/**
 * Keeps `minute` and `hour` true to `raw`, in the same transaction. Every minute that has readings has a row, except the
 * newest one of each series, which is open; the same holds for hours. Whoever reads takes what is missing at the end
 * from the finer level.
 */
export interface RollUp {
  /** After the reading was inserted. */
  add(series: number, at: number, value: StoredValue, flags: number): void;
  /** After the last reading of a transaction: makes good for readings that came late. */
  settle(): void;
  /** Writes the open minute and hour of a series that ended before this time, so that its readings may be dropped. */
  closeBefore(series: number, before: number): void;
  /** The transaction failed: what is open is read again from the database. */
  forget(): void;
}

interface Open {
  minute: number;
  span: Span;
  /** A reading came late: what the minute adds up to is read from the disk when it is over, once. */
  late: boolean;
}

type RawRow = [at: number, value: StoredValue, flags: number];

export function createRollUp({ db, holdOf }: { db: Db; holdOf: (series: number) => number }): RollUp {
  const minutes = createSpanTable(db, "minute");
  const hours = createSpanTable(db, "hour");
  const rawIn = db
    .prepare("SELECT at, value, flags FROM raw WHERE series = ? AND at >= ? AND at < ? ORDER BY at")
    .raw();
  const newestRaw = db.prepare("SELECT max(at) FROM raw WHERE series = ? AND at < ?").pluck();
  /** The newest minute of each series; undefined for one that has none. Bounded by the number of series. */
  const open = new Map<number, Open | undefined>();
  const late = new Map<number, Set<number>>();

  /** Read from the disk, which has the reading at `at` already. When that is the newest it is left out: it is still to be added. */
  function openOf(series: number, at: number): Open | undefined {
    if (open.has(series)) return open.get(series);
    const newest = newestRaw.get(series, Number.MAX_SAFE_INTEGER);
    const before = typeof newest === "number" && newest > at ? Number.MAX_SAFE_INTEGER : at;
    const last = newestRaw.get(series, before);
    const span = typeof last === "number" ? spanOfMinute(series, minuteOf(last), before) : undefined;
    const state = span && { minute: minuteOf(span.lastAt), span, late: false };
    open.set(series, state);
    return state;
  }

  function spanOfMinute(series: number, minute: number, before = minute + MINUTE): Span | undefined {
    const rows = rawIn.all(series, minute, Math.min(before, minute + MINUTE)) as RawRow[];
    return joinSpans(rows.map(toSpan), holdOf(series));
  }

  function writeMinute(series: number, minute: number): void {
    const span = spanOfMinute(series, minute);
    if (span) minutes.put(series, minute, span);
  }

  function writeHour(series: number, hour: number): void {
    const span = joinSpans(minutes.read(series, hour, hour + HOUR), holdOf(series));
    if (span) hours.put(series, hour, span);
  }

  /** The open minute is over; so is its hour when the next reading is in another one. */
  function close(series: number, { minute, span, late: reread }: Open, nextHour: number): void {
    if (reread) writeMinute(series, minute);
    else minutes.put(series, minute, span);
    if (hourOf(minute) !== nextHour) writeHour(series, hourOf(minute));
  }

  function settleLate(series: number, stale: ReadonlySet<number>): void {
    const state = open.get(series);
    for (const minute of stale) {
      if (minute === state?.minute) state.late = true;
      else writeMinute(series, minute);
    }
    const openHour = state && hourOf(state.minute);
    for (const hour of new Set([...stale].map(hourOf))) if (hour !== openHour) writeHour(series, hour);
  }

  return {
    add(series, at, value, flags) {
      const minute = minuteOf(at);
      const state = openOf(series, at);
      const reading = spanOfReading(at, numberOf(value, flags), isGood(flags));
      if (!state) {
        open.set(series, { minute, span: reading, late: false });
        return;
      }
      if (at <= state.span.lastAt) {
        const stale = late.get(series) ?? new Set();
        late.set(series, stale.add(minute));
        return;
      }
      if (minute === state.minute) return extendSpan(state.span, reading, holdOf(series));
      close(series, state, hourOf(minute));
      state.minute = minute;
      state.span = reading;
      state.late = false;
    },
    settle() {
      for (const [series, stale] of late) settleLate(series, stale);
      late.clear();
    },
    closeBefore(series, before) {
      const state = openOf(series, Number.MAX_SAFE_INTEGER);
      if (!state || state.minute >= before) return;
      close(series, state, before);
      // Left open it would be written once more later on, from readings that are gone by then.
      open.set(series, undefined);
    },
    forget() {
      open.clear();
      late.clear();
    },
  };
}

function toSpan([at, value, flags]: RawRow): Span {
  return spanOfReading(at, numberOf(value, flags), isGood(flags));
}
