import type { Clock, Duration } from "@steading/kernel";
import { toolError } from "./tool-errors.ts";

/**
 * Runs work with a limit and the caller's signal. The work's own signal fires in both cases; an answer that comes
 * after that is dropped.
 */
export async function runWithin<T>({
  clock,
  limit,
  signal,
  what,
  work,
}: {
  clock: Clock;
  limit: Duration;
  signal: AbortSignal;
  what: string;
  work: (signal: AbortSignal) => Promise<T>;
}): Promise<T> {
  const own = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const cancelTimer = clock.timer(limit, () =>
      end(toolError("TIMEOUT", `${what} did not finish within ${limit} ms.`)),
    );
    const onAbort = (): void =>
      end(toolError("TIMEOUT", `${what} was cancelled by its caller.`, { cause: signal.reason }));
    signal.addEventListener("abort", onAbort, { once: true });

    function settle(): void {
      cancelTimer();
      signal.removeEventListener("abort", onAbort);
    }
    function end(error: Error): void {
      settle();
      own.abort(error);
      reject(error);
    }

    if (signal.aborted) return onAbort();
    work(own.signal).then(
      (answer) => {
        settle();
        resolve(answer);
      },
      (cause: unknown) => {
        settle();
        reject(cause);
      },
    );
  });
}
