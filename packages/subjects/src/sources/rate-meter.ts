/** Events per second over the last minute. Null until the first one: nothing measured is not zero. */
export interface RateMeter {
  count(events: number): void;
  perSecond(): number | null;
}

const WINDOW_SECONDS = 60;

export function createRateMeter(monotonic: () => number): RateMeter {
  const buckets = Array.from({ length: WINDOW_SECONDS }, () => 0);
  let started: number | undefined;
  let lastSecond = 0;

  function advance(): number {
    const second = Math.floor(monotonic() / 1_000);
    const passed = Math.min(second - lastSecond, WINDOW_SECONDS);
    for (let i = 1; i <= passed; i++) buckets[(lastSecond + i) % WINDOW_SECONDS] = 0;
    lastSecond = second;
    return second;
  }

  return {
    count(events) {
      if (started === undefined) {
        started = monotonic();
        lastSecond = Math.floor(started / 1_000);
      }
      const second = advance() % WINDOW_SECONDS;
      buckets[second] = (buckets[second] ?? 0) + events;
    },
    perSecond() {
      if (started === undefined) return null;
      advance();
      const seconds = Math.min(WINDOW_SECONDS, Math.max(1, (monotonic() - started) / 1_000));
      return buckets.reduce((sum, each) => sum + each, 0) / seconds;
    },
  };
}
