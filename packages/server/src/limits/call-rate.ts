import type { Clock } from "@steading/kernel";

/** A leaky bucket for each principal. */
export interface CallRate {
  /** Seconds to wait; zero: go ahead. */
  spend(principal: string): number;
  /** How often somebody had to wait. */
  readonly refused: number;
}

/** Buckets kept at one time. A full one is the same as none, so the oldest full ones are let go first. */
const BUCKETS = 10_000;

export function createCallRate({
  clock,
  perSecond,
  burst,
}: {
  readonly clock: Clock;
  readonly perSecond: number;
  readonly burst: number;
}): CallRate {
  const buckets = new Map<string, { left: number; at: number }>();
  let refused = 0;

  function refilled(principal: string, now: number): { left: number; at: number } {
    const known = buckets.get(principal);
    const left = known === undefined ? burst : Math.min(burst, known.left + ((now - known.at) / 1_000) * perSecond);
    // Set anew, so that the map's order is the order of last use.
    buckets.delete(principal);
    const bucket = { left, at: now };
    buckets.set(principal, bucket);
    return bucket;
  }

  return {
    spend(principal) {
      const bucket = refilled(principal, clock.monotonic());
      if (buckets.size > BUCKETS) {
        const oldest = buckets.keys().next();
        if (!oldest.done) buckets.delete(oldest.value);
      }
      if (bucket.left < 1) {
        refused++;
        return Math.ceil((1 - bucket.left) / perSecond);
      }
      bucket.left--;
      return 0;
    },
    get refused() {
      return refused;
    },
  };
}
