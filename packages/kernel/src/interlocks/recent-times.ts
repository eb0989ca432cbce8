import type { Clock } from "../clock.ts";
import type { Duration } from "../duration.ts";

/** Targets that are remembered at most; the one that rested longest goes first. */
const TARGETS = 10_000;

/** When things happened to targets, for as long as it matters. */
export interface RecentTimes {
  note(target: string): void;
  /** How long ago, in milliseconds, oldest first; nothing older than `span`. */
  ages(target: string): readonly number[];
  readonly size: number;
}

export function createRecentTimes({
  clock,
  span,
}: {
  readonly clock: Pick<Clock, "monotonic">;
  readonly span: Duration;
}): RecentTimes {
  const times = new Map<string, number[]>();

  function recent(target: string): number[] {
    const from = clock.monotonic() - span;
    return (times.get(target) ?? []).filter((at) => at > from);
  }

  return {
    note(target) {
      const kept = [...recent(target), clock.monotonic()];
      times.delete(target); // set anew at the end: the order of the map is the order of the last happening
      times.set(target, kept);
      for (const old of times.keys()) {
        if (recent(old).length > 0 && times.size <= TARGETS) break;
        times.delete(old);
      }
    },
    ages(target) {
      const now = clock.monotonic();
      return recent(target).map((at) => now - at);
    },
    get size() {
      return times.size;
    },
  };
}
