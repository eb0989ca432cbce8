import type { Duration } from "./duration.ts";

/** Takes back a timer. Calling it twice, or after the timer fired, does nothing. */
export type Cancel = () => void;

/** Time as a parameter: nothing in Steading asks the machine for the time or starts a timer in any other way. */
export interface Clock {
  /** Epoch milliseconds, for what people read. It may jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds that only ever grow, for deadlines and ages. */
  monotonic(): number;
  /** Runs `fire` once, `after` from the present moment. */
  timer(after: Duration, fire: () => void): Cancel;
  /** Resolves after the duration; rejects with the signal's reason as soon as that aborts. */
  sleep(duration: Duration, signal?: AbortSignal): Promise<void>;
}

export function sleepWith(clock: Pick<Clock, "timer">, duration: Duration, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(asError(signal.reason));
    const cancel = clock.timer(duration, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    function onAbort(): void {
      cancel();
      reject(asError(signal?.reason));
    }
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("aborted", { cause: reason });
}
