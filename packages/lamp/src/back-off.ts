import { millis, type Duration } from "@steading/kernel";

export interface BackOff {
  /** How long to wait before the next attempt. The first one after a success comes at once. */
  next(): Duration;
  /** The other side answered: start again from the beginning. */
  reset(): void;
}

/**
 * Waits that double from `first` to `most`, each shortened at random by up to a half, so that a hundred drivers that
 * lost the same network do not come back in step.
 */
export function createBackOff({
  first,
  most,
  random = Math.random,
}: {
  readonly first: Duration;
  readonly most: Duration;
  readonly random?: () => number;
}): BackOff {
  let failures = 0;
  return {
    next() {
      const attempt = failures;
      failures += 1;
      if (attempt === 0) return millis(0);
      const whole = Math.min(most, first * 2 ** Math.min(attempt - 1, 30));
      return millis(Math.round(whole * (1 - random() / 2)));
    },
    reset() {
      failures = 0;
    },
  };
}
