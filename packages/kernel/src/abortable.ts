import { kernelError } from "./kernel-errors.ts";
import { SteadingError } from "./steading-error.ts";

/** The caller went away or ran out of time, as an error of ours. */
export function cancelled(signal: AbortSignal): SteadingError {
  const reason: unknown = signal.reason;
  if (reason instanceof SteadingError) return reason;
  return kernelError("CANCELLED", "The call was cancelled before anything was sent.", { cause: reason });
}

export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled(signal);
}

/** Waits for the promise, but no longer than the signal allows. The promise itself goes on. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(cancelled(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
