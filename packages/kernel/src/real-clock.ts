import { sleepWith, type Clock } from "./clock.ts";

/** The machine's own time. */
export function createRealClock(): Clock {
  const clock: Clock = {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    timer(after, fire) {
      const handle = setTimeout(fire, after);
      return () => clearTimeout(handle);
    },
    sleep: (duration, signal) => sleepWith(clock, duration, signal),
  };
  return clock;
}
