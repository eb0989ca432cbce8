import { millis, type Duration } from "@steading/kernel";

/** Waits that double from `first` to `most`, each a little longer or shorter at random so that no two keep in step. */
export interface GrowingDelay {
  next(): Duration;
  /** It went well: start again from the beginning. */
  reset(): void;
  readonly failures: number;
}

export function createGrowingDelay({
  first,
  most,
  jitter,
  random = Math.random,
}: {
  readonly first: Duration;
  readonly most: Duration;
  /** 0.1: up to ten percent more or less. */
  readonly jitter: number;
  readonly random?: (() => number) | undefined;
}): GrowingDelay {
  let failures = 0;
  return {
    next() {
      const whole = Math.min(most, first * 2 ** Math.min(failures, 30));
      failures += 1;
      return millis(Math.round(whole * (1 + jitter * (2 * random() - 1))));
    },
    reset() {
      failures = 0;
    },
    get failures() {
      return failures;
    },
  };
}
