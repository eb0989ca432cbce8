/** Promises for conditions, so that a test waits for what happens on the wire and never for time to pass. */
export interface LampWaiters {
  wait(holds: () => boolean, signal?: AbortSignal): Promise<void>;
  /** Asks every condition again. */
  check(): void;
  /** Nothing will happen any more: rejects all who wait. */
  fail(reason: Error): void;
}

interface Waiter {
  readonly holds: () => boolean;
  settle(error?: unknown): void;
}

export function createLampWaiters(): LampWaiters {
  const waiters = new Set<Waiter>();

  function check(): void {
    for (const waiter of waiters) {
      try {
        if (waiter.holds()) waiter.settle();
      } catch (error) {
        waiter.settle(error); // a condition that throws is its owner's failure, not the lamp's
      }
    }
  }

  return {
    async wait(holds, signal) {
      signal?.throwIfAborted();
      if (holds()) return;
      await new Promise<void>((resolve, reject) => {
        const onAbort = (): void => waiter.settle(signal?.reason ?? new Error("aborted"));
        const waiter: Waiter = {
          holds,
          settle(error) {
            waiters.delete(waiter);
            signal?.removeEventListener("abort", onAbort);
            if (error === undefined) resolve();
            else reject(error instanceof Error ? error : new Error("The wait was given up.", { cause: error }));
          },
        };
        waiters.add(waiter);
        signal?.addEventListener("abort", onAbort, { once: true });
      });
    },
    check,
    fail(reason) {
      for (const waiter of waiters) waiter.settle(reason);
    },
  };
}
