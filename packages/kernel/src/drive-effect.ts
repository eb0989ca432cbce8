import type { Clock } from "./clock.ts";
import type { Duration } from "./duration.ts";
import type { Drive } from "./effect.ts";
import { asSteadingError } from "./internal-error.ts";
import type { Json } from "./json.ts";
import { kernelError } from "./kernel-errors.ts";
import type { Log } from "./log.ts";
import type { Reception } from "./received.ts";
import type { SteadingError } from "./steading-error.ts";

/** How the sending of one effect ended. */
export type Driven =
  /** No byte left the hub, and none will. */
  | { readonly kind: "unsent"; readonly error: SteadingError }
  /** The device said no. */
  | { readonly kind: "refused"; readonly error: SteadingError }
  /** Bytes left, and what became of them is not known. */
  | { readonly kind: "lost"; readonly error: SteadingError }
  /** `since` is the mark in the order of arrivals: what comes later came after the acknowledgement. */
  | { readonly kind: "acknowledged"; readonly acknowledgement: Json; readonly since: number };

type Settled = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly error: unknown };

/** Sends, once, and waits for the acknowledgement no longer than the deadline. */
export async function driveEffect({
  drive,
  deadline,
  grace,
  clock,
  reception,
  log,
  onFirstByte,
}: {
  readonly drive: Drive;
  readonly deadline: Duration;
  /** How long a driver that was told to stop may still hold the lane. */
  readonly grace: Duration;
  readonly clock: Clock;
  readonly reception: Reception;
  readonly log: Log;
  readonly onFirstByte: () => void;
}): Promise<Driven> {
  const stop = new AbortController();
  let started = false;
  let closed = false;
  const late = (): SteadingError =>
    kernelError("TIMEOUT", started ? "The device did not acknowledge in time." : "Nothing could be sent in time.");

  const wire = {
    firstByte(): void {
      // The key has been freed by then: a byte that still left could be sent twice.
      if (closed) throw late();
      if (started) return;
      started = true;
      onFirstByte();
    },
  };
  const sending = attempt(() => drive.send(wire, stop.signal));
  const expired = await expires(sending, deadline, clock);
  if (expired) {
    closed = !started;
    stop.abort(late());
    // One at a time also holds for a driver that is slow to let go, within reason.
    if (await expires(sending, grace, clock)) return { kind: started ? "lost" : "unsent", error: late() };
  }
  const settled = await sending;
  if (settled.ok && !closed) {
    if (!started) onFirstByte();
    return { kind: "acknowledged", acknowledgement: settled.value, since: reception.mark() };
  }
  const failure = settled.ok || expired ? late() : settled.error;
  const error = asSteadingError(log, "A driver failed while sending.", failure);
  if (!started) return { kind: "unsent", error };
  return { kind: error.details?.["refused"] === true ? "refused" : "lost", error };
}

async function attempt(send: () => Promise<Json>): Promise<Settled> {
  try {
    // A driver without types may return nothing at all; on record that is null.
    return { ok: true, value: (await send()) ?? null };
  } catch (error) {
    return { ok: false, error };
  }
}

/** True when the time ran out first. */
function expires(sending: Promise<Settled>, after: Duration, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.timer(after, () => resolve(true));
    void sending.then(() => {
      cancel();
      resolve(false);
    });
  });
}
