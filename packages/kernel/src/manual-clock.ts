import { sleepWith, type Clock } from "./clock.ts";
import type { Duration } from "./duration.ts";

export interface ManualClock extends Clock {
  /** Moves time forward, firing every timer that falls due in order, and lets their promises settle in between. */
  advance(by: Duration): Promise<void>;
  /** How many timers wait. A test that ends with some left has leaked them. */
  readonly pending: number;
}

interface Waiting {
  readonly due: number;
  readonly order: number;
  readonly fire: () => void;
}

/** Time that stands still until a test moves it. */
export function createManualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsed = 0;
  let order = 0;
  const waiting = new Set<Waiting>();

  function nextDue(limit: number): Waiting | undefined {
    let first: Waiting | undefined;
    for (const each of waiting) {
      if (each.due > limit) continue;
      if (!first || each.due < first.due || (each.due === first.due && each.order < first.order)) first = each;
    }
    return first;
  }

  const clock: ManualClock = {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    timer(after, fire) {
      const entry: Waiting = { due: elapsed + Math.max(0, after), order: order++, fire };
      waiting.add(entry);
      return () => void waiting.delete(entry);
    },
    sleep: (duration, signal) => sleepWith(clock, duration, signal),
    async advance(by) {
      const target = elapsed + by;
      await settle();
      for (let next = nextDue(target); next; next = nextDue(target)) {
        waiting.delete(next);
        elapsed = Math.max(elapsed, next.due);
        next.fire();
        await settle();
      }
      elapsed = target;
    },
    get pending() {
      return waiting.size;
    },
  };
  return clock;
}

/** Lets promise chains that were just released run to their next wait; a macrotask outlasts any number of microtasks. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
