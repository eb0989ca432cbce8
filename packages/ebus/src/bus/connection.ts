import { seconds, type Clock, type Log } from "@steading/kernel";
import type { Dial, Link } from "../adapters/link.ts";
import { createReconnectWaits } from "./reconnect-waits.ts";

const DIAL_WAIT = seconds(10);

export interface Connection {
  start(signal: AbortSignal): void;
  stop(): Promise<void>;
  /** The far end proved alive: the waits start over. */
  healthy(): void;
  readonly connects: number;
  readonly failures: number;
}

/** A link that is made again whenever it is lost, for ever. */
export function createConnection({
  dial,
  clock,
  log,
  opened,
  closed,
}: {
  readonly dial: Dial;
  readonly clock: Clock;
  readonly log: Log;
  readonly opened: (link: Link) => void;
  readonly closed: (cause?: Error) => void;
}): Connection {
  const waits = createReconnectWaits();
  let own: AbortController | undefined;
  let loop: Promise<void> = Promise.resolve();
  let connects = 0;
  let failures = 0;

  async function once(signal: AbortSignal): Promise<void> {
    const tooLong = new AbortController();
    const cancel = clock.timer(DIAL_WAIT, () => tooLong.abort(new Error("The adapter did not answer.")));
    let link: Link;
    try {
      link = await dial(AbortSignal.any([signal, tooLong.signal]));
    } finally {
      cancel();
    }
    connects += 1;
    const ended = new Promise<Error | undefined>((resolve) => link.onEnd(resolve));
    const close = (): void => link.close();
    signal.addEventListener("abort", close, { once: true });
    if (signal.aborted) close();
    opened(link);
    const cause = await ended;
    signal.removeEventListener("abort", close);
    closed(cause);
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await once(signal);
      } catch (cause) {
        if (signal.aborted) return;
        failures += 1;
        log.debug("the eBUS adapter cannot be reached", { cause: cause instanceof Error ? cause.message : "unknown" });
      }
      // Only an abort ends the pause early, and that ends the loop.
      await clock.sleep(waits.next(), signal).catch(() => undefined);
    }
  }

  return {
    start(signal) {
      if (own) return;
      own = new AbortController();
      loop = run(AbortSignal.any([signal, own.signal]));
    },
    async stop() {
      own?.abort();
      await loop;
      own = undefined;
    },
    healthy: () => waits.reset(),
    get connects() {
      return connects;
    },
    get failures() {
      return failures;
    },
  };
}
