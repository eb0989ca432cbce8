import { kernelError } from "./kernel-errors.ts";
import { SteadingError } from "./steading-error.ts";

/** The caller went away or ran out of time, as an error of ours. The sentence must be true where it is used. */
export function cancelled(
  signal: AbortSignal,
  sentence = "The call was cancelled before anything was sent.",
): SteadingError {
  const reason: unknown = signal.reason;
  if (reason instanceof SteadingError) return reason;
  return kernelError("CANCELLED", sentence, { cause: reason });
}

export function throwIfCancelled(signal: AbortSignal | undefined, sentence?: string): void {
  if (signal?.aborted) throw cancelled(signal, sentence);
}

/** Waits for the promise, but no longer than the signal allows. The promise itself goes on. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined, sentence?: string): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(cancelled(signal, sentence));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
