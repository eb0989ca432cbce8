import { cancelled } from "./abortable.ts";
import type { Clock } from "./clock.ts";
import type { Duration } from "./duration.ts";
import type { SteadingError } from "./steading-error.ts";

/**
 * Gives the work a signal that aborts at the deadline or with the caller, and answers then without waiting for work that
 * does not listen. What it still does afterwards is its own affair.
 */
export function runWithDeadline<T>({
  work,
  deadline,
  clock,
  onTimeout,
  onCancelled,
  signal,
}: {
  readonly work: (signal: AbortSignal) => Promise<T>;
  readonly deadline: Duration;
  readonly clock: Pick<Clock, "timer">;
  readonly onTimeout: () => SteadingError;
  /** The caller went away while the work was under way. */
  readonly onCancelled: (signal: AbortSignal) => SteadingError;
  readonly signal?: AbortSignal;
}): Promise<T> {
  const stop = new AbortController();
  return new Promise<T>((resolve, reject) => {
    if (signal?.aborted) return reject(cancelled(signal));
    const cancel = clock.timer(deadline, () => end(onTimeout()));
    const onAbort = (): void => {
      if (signal) end(onCancelled(signal));
    };
    function tidy(): void {
      cancel();
      signal?.removeEventListener("abort", onAbort);
    }
    function end(reason: SteadingError): void {
      tidy();
      stop.abort(reason);
      reject(reason);
    }
    signal?.addEventListener("abort", onAbort, { once: true });
    const running = async (): Promise<T> => work(stop.signal); // also catches work that throws before its first wait
    running().then(resolve, reject).finally(tidy);
  });
}
