import type { Json } from "./json.ts";
import { isReceived, type Received } from "./received.ts";

/** How far an effect is known to have got. */
export const STAGES = ["requested", "sent", "acknowledged", "observed", "unknown", "failed"] as const;
export type Stage = (typeof STAGES)[number];

export interface Receipt {
  /** The action's id, for `get_action`. */
  readonly action: string;
  readonly stage: Stage;
  /** Epoch milliseconds of the stage. */
  readonly at: number;
  /** What the device said after the acknowledgement. Present exactly when the stage is `observed`. */
  readonly observed?: Json;
}

/** Every stage but `observed`, which has a constructor of its own. */
export function receipt(action: string, stage: Exclude<Stage, "observed">, at: number): Receipt {
  return { action, stage, at };
}

/**
 * The only way to `observed`: it takes an arrival from the device that is later than `since`, the mark set at the
 * acknowledgement (or at the start of a fresh observation). Anything older, or not an arrival, throws.
 */
export function observedReceipt(action: string, arrival: Received, since: number): Receipt {
  if (!isReceived(arrival)) throw new TypeError("An observed receipt needs a value received from the device.");
  if (arrival.stamp <= since)
    throw new RangeError("An observed receipt needs a value received after the acknowledgement.");
  return { action, stage: "observed", at: arrival.at, observed: arrival.value };
}

/** The receipt as every MUTATE answer carries it: times as ISO 8601. */
export function receiptJson(r: Receipt): { action: string; stage: Stage; at: string; observed?: Json } {
  return {
    action: r.action,
    stage: r.stage,
    at: new Date(r.at).toISOString(),
    ...(r.observed === undefined ? {} : { observed: r.observed }),
  };
}
