import { untilAborted } from "./abortable.ts";
import type { Clock } from "./clock.ts";
import type { Duration } from "./duration.ts";
import type { Observe } from "./effect.ts";
import type { Log } from "./log.ts";
import { isReceived, type Received } from "./received.ts";

/** How looking for the wanted state ended. */
export type Seen =
  | { readonly kind: "observed"; readonly arrival: Received }
  /** Something towards safe needed the lane. */
  | { readonly kind: "cut" }
  /** Arrivals did not show the wanted state, or nothing arrived at all. */
  | { readonly kind: "expired"; readonly arrivals: number };

/** Asks the device again and again until an arrival later than `since` shows the wanted state, or the time is up. */
export async function observeEffect({
  observe,
  since,
  deadline,
  pause,
  clock,
  cut,
  log,
}: {
  readonly observe: Observe;
  readonly since: number;
  readonly deadline: Duration;
  readonly pause: Duration;
  readonly clock: Clock;
  readonly cut: AbortSignal;
  readonly log: Log;
}): Promise<Seen> {
  const stop = new AbortController();
  const onCut = (): void => stop.abort();
  if (cut.aborted) return { kind: "cut" };
  cut.addEventListener("abort", onCut, { once: true });
  const cancel = clock.timer(deadline, () => stop.abort());
  let arrivals = 0;
  try {
    while (!stop.signal.aborted) {
      const arrival = await look(observe, stop.signal, log);
      if (arrival && arrival.stamp > since) {
        arrivals += 1;
        if (satisfied(observe, arrival, log)) return { kind: "observed", arrival };
      }
      await rest(clock, pause, stop.signal);
    }
    return cut.aborted ? { kind: "cut" } : { kind: "expired", arrivals };
  } finally {
    cancel();
    cut.removeEventListener("abort", onCut);
    stop.abort();
  }
}

async function look(observe: Observe, signal: AbortSignal, log: Log): Promise<Received | undefined> {
  try {
    const arrival: unknown = await untilAborted(observe.read(signal), signal);
    if (isReceived(arrival)) return arrival;
    log.error("A driver returned something that never came off a wire; it cannot prove anything.");
  } catch (error) {
    // A failed read is no evidence either way; the next one may come through.
    if (!signal.aborted) log.debug("A read-back failed.", { error: error instanceof Error ? error.name : "unknown" });
  }
  return undefined;
}

function satisfied(observe: Observe, arrival: Received, log: Log): boolean {
  try {
    return observe.satisfies(arrival.value);
  } catch (error) {
    log.error("A driver could not judge what arrived.", error);
    return false;
  }
}

async function rest(clock: Clock, pause: Duration, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(pause, signal);
  } catch {
    // Aborted: the loop's condition sees it.
  }
}
