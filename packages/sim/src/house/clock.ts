/** All the house asks of time. Milliseconds throughout, fractions allowed: a symbol lasts 4.17 of them. */
export interface HouseClock {
  /** Epoch milliseconds of the house, which its calendar and its weather follow. */
  now(): number;
  /** Runs `fire` once after that many milliseconds; the result takes it back. */
  timer(ms: number, fire: () => void): () => void;
}

/**
 * The machine's clock. `speed` 10 makes ten minutes pass in one, wire included. A timer does not keep the process alive:
 * the sockets of the house do that.
 */
export function createRealHouseClock({ speed = 1 }: { speed?: number } = {}): HouseClock {
  const start = Date.now();
  const origin = performance.now();
  return {
    now: () => start + (performance.now() - origin) * speed,
    timer(ms, fire) {
      const wait = ms / speed;
      if (wait < 1) {
        const immediate = setImmediate(fire); // setTimeout has no shorter wait than 1 ms
        return () => clearImmediate(immediate);
      }
      const timeout = setTimeout(fire, wait).unref();
      return () => clearTimeout(timeout);
    },
  };
}
