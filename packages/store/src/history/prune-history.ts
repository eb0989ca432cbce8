import type { Db } from "../sqlite/open-database.ts";
import type { RollUp } from "./roll-up.ts";

export interface PruneTimes {
  readonly raw: number;
  readonly minute: number;
  readonly hour: number;
}

/** Rows that one step deletes, so that readings never wait long behind retention: some tens of milliseconds. */
const STEP = 25_000;

/** Drops what is older, series by series. Each step of the generator is one short transaction; it yields the rows dropped. */
export function* pruneHistory({ db, rollUp, times }: { db: Db; rollUp: RollUp; times: PruneTimes }): Generator<number> {
  const levels = (["raw", "minute", "hour"] as const).map((level) => ({
    before: times[level],
    drop: db.prepare(`DELETE FROM ${level} WHERE series = ? AND at < ? ORDER BY at LIMIT ${STEP}`),
  }));
  const nextSeries = db.prepare("SELECT id FROM series WHERE id > ? ORDER BY id LIMIT 1").pluck();
  const step = db.transaction((series: number, { before, drop }: (typeof levels)[number]) => {
    rollUp.closeBefore(series, before);
    return drop.run(series, before).changes;
  });
  for (let series = nextSeries.get(0); typeof series === "number"; series = nextSeries.get(series)) {
    for (const level of levels) {
      let dropped: number;
      do {
        dropped = step.immediate(series, level);
        if (dropped > 0) yield dropped;
      } while (dropped === STEP);
    }
  }
}
