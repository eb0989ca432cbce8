import { days, hours, millis, type Cancel, type Clock, type Duration, type Log } from "@steading/kernel";
import type { FarmHistory } from "./farm-history.ts";
import { nextNight } from "./next-night.ts";
import type { TableName } from "./rows.ts";
import type { RowChange, Tables } from "./tables.ts";

export interface RetentionCounters {
  readonly nights: number;
  readonly failures: number;
  /** Rows of the farm's tables that were dropped; the history counts its own. */
  readonly dropped: number;
}

/** Lets go of what is old, every night. The history keeps readings as days, hours and minutes when they are gone. */
export interface Retention {
  start(): void;
  stop(): void;
  runOnce(): Promise<void>;
  counters(): RetentionCounters;
}

const KEEP_RELAY_EVENTS = days(60);
const KEEP_RUN_LOGS = days(30);
const KEEP_ACKNOWLEDGED = days(90);
/** Rows that one commit drops. */
const BATCH = 25_000;
/** A clock that is set, or a machine that slept, is noticed within this time. */
const LOOK = hours(1);

export function createRetention({
  tables,
  history,
  clock,
  log,
  timeZone,
}: {
  readonly tables: Tables;
  readonly history: Pick<FarmHistory, "tidy">;
  readonly clock: Clock;
  readonly log: Log;
  /** Whose 03:30 it is. Default: the machine's. */
  readonly timeZone?: string | undefined;
}): Retention {
  const counters = { nights: 0, failures: 0, dropped: 0 };
  let cancel: Cancel | undefined;
  let due = 0;

  function tooOld(): RowChange[] {
    const before = (keep: Duration): number => clock.now() - keep;
    const drop = (table: TableName, rows: readonly { readonly id: number }[]): RowChange[] =>
      rows.map(({ id }) => ({ table, delete: id }));
    const events = tables.all("relay_events").filter((row) => row.created_at < before(KEEP_RELAY_EVENTS));
    const logs = tables.all("automation_logs").filter((row) => row.completed_at < before(KEEP_RUN_LOGS));
    // By when it was last seen: one that is still raised again and again is not old.
    const alerts = tables
      .all("alerts")
      .filter((row) => row.acknowledged && row.last_seen_at < before(KEEP_ACKNOWLEDGED));
    return [...drop("relay_events", events), ...drop("automation_logs", logs), ...drop("alerts", alerts)];
  }

  async function dropRows(): Promise<void> {
    const old = tooOld();
    for (let from = 0; from < old.length; from += BATCH) {
      const batch = old.slice(from, from + BATCH);
      await tables.commit(batch, { kind: "farm.retention", by: "retention", data: { rows: batch.length } });
      counters.dropped += batch.length;
    }
  }

  async function runOnce(): Promise<void> {
    counters.nights += 1;
    const done = await Promise.allSettled([dropRows(), history.tidy?.()]);
    for (const each of done) {
      if (each.status === "fulfilled") continue;
      counters.failures += 1;
      log.error("The nightly clean-up could not be finished; the next night goes on.", each.reason);
    }
  }

  function wait(): void {
    const left = due - clock.now();
    cancel = clock.timer(millis(Math.min(Math.max(0, left), LOOK)), () => {
      if (clock.now() >= due) {
        due = nextNight(clock.now(), timeZone);
        void runOnce();
      } else {
        // A clock that was set back has another night before this one.
        due = nextNight(clock.now(), timeZone);
      }
      wait();
    });
  }

  return {
    start() {
      if (cancel) return;
      due = nextNight(clock.now(), timeZone);
      wait();
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
    runOnce,
    counters: () => ({ ...counters }),
  };
}
