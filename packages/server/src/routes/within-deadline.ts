import { SteadingError, type Clock, type Duration } from "@steading/kernel";

/**
 * Runs the work with a signal that aborts at the deadline or when the client leaves, and answers at the deadline without
 * waiting for work that does not listen. `reads`: may it simply be tried again?
 */
export function withinDeadline<T>({
  work,
  deadline,
  clock,
  left,
  reads,
}: {
  readonly work: (signal: AbortSignal) => Promise<T>;
  readonly deadline: Duration;
  readonly clock: Pick<Clock, "timer">;
  readonly left: AbortSignal;
  readonly reads: boolean;
}): Promise<T> {
  const stop = new AbortController();
  const onLeft = (): void => stop.abort(left.reason);
  return new Promise<T>((resolve, reject) => {
    const cancel = clock.timer(deadline, () => {
      const late = new SteadingError("TIMEOUT", "This did not end in time.", {
        retryable: reads,
        ...(reads ? {} : { hint: "What was begun may go on; look at what became of it before you ask again." }),
      });
      stop.abort(late);
      reject(late);
    });
    if (left.aborted) onLeft();
    else left.addEventListener("abort", onLeft, { once: true });
    const running = async (): Promise<T> => work(stop.signal); // also catches work that throws before its first wait
    running()
      .then(resolve, reject)
      .finally(() => {
        cancel();
        left.removeEventListener("abort", onLeft);
      });
  });
}
