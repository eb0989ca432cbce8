import { millis, seconds, type Duration } from "@steading/kernel";
import { ebusError } from "../ebus-errors.ts";

const ECHO = 10;
const ANSWER = 25;
const SYN_WAIT = 51;
const MOST_LATENCY = 60;

/** No SYN for that long: the signal is lost; for longer: there is none. */
export const SIGNAL_LOST = millis(250);
export const NO_SIGNAL = seconds(1);
/** After a collision at least that long and two SYN. */
export const COLLISION_PAUSE = millis(50);
/** A device that is late by less than this cannot have its answer taken for another one's. */
export const LATE_ANSWER_GUARD = millis(250);
export const OWN_SYN = millis(40);

/**
 * What this machine and its network may add once in a while, beyond what the adapter adds always. It costs nothing on a
 * living bus: there the SYN that follows a silence ends the wait, and this is for a bus on which none comes.
 */
export const JITTER_MS = 200;

/** How long to wait for what, with the delay that the adapter may add to each symbol. */
export interface BusTiming {
  readonly echo: Duration;
  readonly answer: Duration;
  readonly syn: Duration;
}

export function busTiming({
  latencyMs = 0,
  jitterMs = 0,
}: { readonly latencyMs?: number; readonly jitterMs?: number } = {}): BusTiming {
  if (!(latencyMs >= 0 && latencyMs <= MOST_LATENCY))
    throw ebusError("INVALID_ARGUMENT", `The latency must be from 0 to ${MOST_LATENCY} ms, not ${latencyMs}`);
  const late = latencyMs + jitterMs;
  return { echo: millis(ECHO + late), answer: millis(ANSWER + late), syn: millis(SYN_WAIT + late) };
}
