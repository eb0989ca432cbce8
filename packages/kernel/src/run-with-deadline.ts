import { cancelled } from "./abortable.ts";
import type { Clock } from "./clock.ts";
import type { Duration } from "./duration.ts";
import type { SteadingError } from "./steading-error.ts";

/** The end of one piece of work, for those who listen to it. Most do not, and a signal costs more than a short call. */
export interface Ending {
  /** Made when it is first asked for. */
  readonly signal: AbortSignal;
}

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
  readonly work: (ending: Ending) => Promise<T>;
  readonly deadline: Duration;
  readonly clock: Pick<Clock, "timer">;
  readonly onTimeout: () => SteadingError;
  /** The caller went away while the work was under way. */
  readonly onCancelled: (signal: AbortSignal) => SteadingError;
  readonly signal?: AbortSignal;
}): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal?.aborted) return reject(cancelled(signal));
    let stop: AbortController | undefined;
    let reason: SteadingError | undefined;
    const cancel = clock.timer(deadline, () => end(onTimeout()));
    const onAbort = (): void => {
      if (signal) end(onCancelled(signal));
    };
    function tidy(): void {
      cancel();
      signal?.removeEventListener("abort", onAbort);
    }
    function end(why: SteadingError): void {
      tidy();
      reason = why;
      stop?.abort(why);
      reject(why);
    }
    function fail(error: unknown): void {
      tidy();
      reject(error as Error); // whatever was thrown goes on to whoever asked
    }
    const ending: Ending = {
      get signal() {
        if (stop === undefined) {
          stop = new AbortController();
          if (reason !== undefined) stop.abort(reason);
        }
        return stop.signal;
      },
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      work(ending).then((value) => {
        tidy();
        resolve(value);
      }, fail);
    } catch (error) {
      fail(error);
    }
  });
}
