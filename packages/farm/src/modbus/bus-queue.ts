import { farmError } from "../farm-errors.ts";

/** Least first in the queue: an OFF for safety's sake overtakes commands, commands overtake polls. */
const PRIORITIES = ["safety", "command", "poll"] as const;
export type Priority = (typeof PRIORITIES)[number];

export interface Queued {
  readonly priority: Priority;
  run(): Promise<void>;
  /** It never ran: the bus is closed. */
  drop(error: Error): void;
}

/** What waits for one bus, in three rows. One runs at a time. */
export interface BusQueue {
  /** `first`: before the others of its own priority, for a second try. */
  add(item: Queued, place?: "first" | "last"): void;
  remove(item: Queued): void;
  readonly waiting: number;
  close(error: Error): void;
}

/** For each priority. A bus that is so far behind will not catch up. */
const MOST_WAITING = 512;

export function createBusQueue(): BusQueue {
  const rows: Record<Priority, Queued[]> = { safety: [], command: [], poll: [] };
  let busy = false;

  function next(): Queued | undefined {
    for (const priority of PRIORITIES) {
      const item = rows[priority].shift();
      if (item) return item;
    }
    return undefined;
  }

  async function work(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      for (let item = next(); item; item = next()) {
        await item.run();
        // A command is a write and its read-backs: the next of them is on its way, and must not find a poll before it.
        if (item.priority !== "poll") await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      busy = false;
    }
  }

  return {
    add(item, place = "last") {
      const row = rows[item.priority];
      if (row.length >= MOST_WAITING) {
        throw farmError("BUS_BUSY", `${row.length} requests wait for this bus already.`);
      }
      if (place === "first") row.unshift(item);
      else row.push(item);
      void work();
    },
    remove(item) {
      const row = rows[item.priority];
      const at = row.indexOf(item);
      if (at >= 0) row.splice(at, 1);
    },
    get waiting() {
      return PRIORITIES.reduce((sum, priority) => sum + rows[priority].length, 0);
    },
    close(error) {
      for (const priority of PRIORITIES) for (const item of rows[priority].splice(0)) item.drop(error);
    },
  };
}
