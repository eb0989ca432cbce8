import type { Clock } from "../clock.ts";
import type { Duration } from "../duration.ts";
import type { Effect } from "../effect.ts";
import type { Interlock } from "../interlock.ts";
import { createRecentTimes } from "./recent-times.ts";

export interface MinimumIntervalOptions {
  readonly name: string;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly interval: Duration;
  /** Effects that must wait. */
  readonly applies: (effect: Effect) => boolean;
  /** Effects from whose sending on they must wait. Default: the same ones. A minimum off time starts with every OFF. */
  readonly starts?: (effect: Effect) => boolean;
  /** When the target last did so, in epoch milliseconds, as its own history tells: what was noted here dies with the process. */
  readonly since?: (effect: Effect) => number | undefined;
}

/** Lets a target rest: a minimum on or off time, or a pause between two of the same. */
export function minimumInterval({
  name,
  clock,
  interval,
  applies,
  starts = applies,
  since,
}: MinimumIntervalOptions): Interlock {
  const times = createRecentTimes({ clock, span: interval });
  return {
    name,
    applies: (effect) => applies(effect) || starts(effect),
    check(effect) {
      if (!applies(effect)) return undefined;
      const noted = times.ages(effect.target).at(-1) ?? Infinity;
      const told = clock.now() - (since?.(effect) ?? -Infinity);
      // A clock that was set back must not make the rest longer than it ever was.
      const left = Math.min(interval - Math.min(noted, told), interval);
      if (left <= 0) return undefined;
      const until = clock.now() + left;
      const message = `This must rest until ${new Date(until).toISOString()}.`;
      return { code: "TOO_SOON", message, retryable: true, until };
    },
    sent(effect) {
      if (starts(effect)) times.note(effect.target);
    },
  };
}
