import type { Clock } from "../clock.ts";
import type { Duration } from "../duration.ts";
import type { Effect } from "../effect.ts";
import type { Interlock } from "../interlock.ts";
import { createRecentTimes } from "./recent-times.ts";

export interface RateOptions {
  readonly name: string;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  /** At most so many … */
  readonly count: number;
  /** … within any such span, for each target by itself. */
  readonly per: Duration;
  readonly applies: (effect: Effect) => boolean;
}

/** Limits how often something happens to a target. */
export function rate({ name, clock, count, per, applies }: RateOptions): Interlock {
  const times = createRecentTimes({ clock, span: per });
  return {
    name,
    applies,
    check(effect) {
      const ages = times.ages(effect.target);
      if (ages.length < count) return undefined;
      const until = clock.now() + per - (ages[ages.length - count] ?? 0);
      const message = `This happens at most ${count} times in ${per / 1_000} seconds; try again after ${new Date(until).toISOString()}.`;
      return { code: "RATE_EXCEEDED", message, retryable: true, until };
    },
    sent: (effect) => times.note(effect.target),
  };
}
