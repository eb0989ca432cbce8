import type { HouseClock } from "./clock.ts";

export interface ManualHouseClock extends HouseClock {
  /** Moves time on and fires what falls due, in order, each at its own moment. */
  advance(ms: number): void;
  /**
   * Moves time on in small steps until the condition holds, and lets sockets deliver after each step. Rejects when that
   * much virtual time has passed in vain.
   */
  run(until: () => boolean, options?: { readonly stepMs?: number; readonly limitMs?: number }): Promise<void>;
  /** Timers that have not fired. */
  readonly pending: number;
}

interface Due {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

/** The moment at which the register image was captured: system date 2026-03-05, system time 16:00:44. */
export const CAPTURE_MOMENT = Date.UTC(2026, 2, 5, 16, 0, 44);

/** Time that stands still until told to move. */
export function createManualHouseClock({ now: start = CAPTURE_MOMENT }: { now?: number } = {}): ManualHouseClock {
  let now = start;
  let made = 0;
  const timers = new Set<Due>();

  function next(limit: number): Due | undefined {
    let soonest: Due | undefined;
    for (const due of timers) {
      if (due.at > limit) continue;
      if (soonest === undefined || due.at < soonest.at || (due.at === soonest.at && due.order < soonest.order)) {
        soonest = due;
      }
    }
    return soonest;
  }

  function advance(ms: number): void {
    const end = now + ms;
    for (let due = next(end); due !== undefined; due = next(end)) {
      timers.delete(due);
      now = Math.max(now, due.at);
      due.fire();
    }
    now = end;
  }

  return {
    now: () => now,
    timer(ms, fire) {
      made += 1;
      const due = { at: now + Math.max(0, ms), order: made, fire };
      timers.add(due);
      return () => void timers.delete(due);
    },
    advance,
    async run(until, { stepMs = 1, limitMs = 600_000 } = {}) {
      const end = now + limitMs;
      while (!until()) {
        if (now >= end) throw new Error(`The condition did not come true within ${limitMs} ms of virtual time.`);
        advance(stepMs);
        await new Promise<void>((resolve) => void setImmediate(resolve));
      }
    },
    get pending() {
      return timers.size;
    },
  };
}
