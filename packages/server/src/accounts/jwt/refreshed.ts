import { millis, minutes, seconds, type Clock, type Duration, type Log } from "@steading/kernel";

/** Something fetched from elsewhere, kept for a while, and fetched again no more often than is polite. */
export interface Refreshed<T> {
  /** Fresh if it can be had, else what was fetched last. Undefined: nothing that may still be used. */
  get(): Promise<T | undefined>;
  /** After a look at the present one was in vain. Undefined: nothing newer was fetched. */
  newer(): Promise<T | undefined>;
  readonly fetches: number;
  readonly failures: number;
}

/** How long it counts as fresh. */
const FRESH: Duration = minutes(10);
/** How long it is used while the other side does not answer. */
const STALE: Duration = minutes(24 * 60);
/** Between two tries, whether the first one succeeded or not: a wave of bad tokens must not become a wave of requests. */
const COOL_DOWN: Duration = seconds(30);

export function createRefreshed<T>({
  what,
  load,
  clock,
  log,
}: {
  /** For the log. */
  readonly what: string;
  load(): Promise<T>;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Log;
}): Refreshed<T> {
  let held: { readonly value: T; readonly at: number } | undefined;
  let triedAt: number | undefined;
  let running: Promise<boolean> | undefined;
  let fetches = 0;
  let failures = 0;

  const age = (at: number): Duration => millis(clock.monotonic() - at);

  async function fetchOnce(): Promise<boolean> {
    triedAt = clock.monotonic();
    fetches++;
    try {
      held = { value: await load(), at: clock.monotonic() };
      return true;
    } catch (error) {
      failures++;
      log.warn("A document of an issuer could not be fetched.", {
        what,
        reason: error instanceof Error ? error.message : "unknown",
      });
      return false;
    } finally {
      running = undefined;
    }
  }
  /** True: something newer is held. Everybody who asks meanwhile waits for the same try. */
  function refresh(): Promise<boolean> {
    if (running !== undefined) return running;
    if (triedAt !== undefined && age(triedAt) < COOL_DOWN) return Promise.resolve(false);
    running = fetchOnce();
    return running;
  }

  return {
    async get() {
      if (held === undefined || age(held.at) >= FRESH) await refresh();
      return held === undefined || age(held.at) >= STALE ? undefined : held.value;
    },
    newer: async () => ((await refresh()) ? held?.value : undefined),
    get fetches() {
      return fetches;
    },
    get failures() {
      return failures;
    },
  };
}
