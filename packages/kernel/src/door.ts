import type { Effect, Observe, Outcome } from "./effect.ts";
import type { Interlock } from "./interlock.ts";
import type { JsonObject } from "./json.ts";
import type { Receipt } from "./receipt.ts";

/** What is on record about an action. */
export interface ActionRecord {
  readonly id: string;
  readonly tool: string;
  readonly principal: string;
  readonly target: string;
  readonly summary: string;
  readonly requestedAt: number;
  readonly arguments: JsonObject;
  readonly outcome: Outcome | undefined;
  /** The furthest stage known: `requested` while it runs, the outcome's stage afterwards. */
  readonly receipt: Receipt;
}

export interface PerformOptions {
  readonly signal?: AbortSignal;
  /** `refuse` (default) answers CONFIRMATION_REQUIRED with the approval's id; `wait` parks until somebody decides. */
  readonly onApproval?: "refuse" | "wait";
}

/**
 * The one way to an effect. In this order: authorise, validate, look the idempotency key up, approval (and authorise
 * again), lane, interlocks on fresh state, one commit of reservation and audit record, send, acknowledge, observe, one
 * commit of the outcome, leave the lane, answer.
 *
 * Throws SteadingError for everything that ended before the first byte; resolves with an Outcome for everything after,
 * also when that is `unknown` or `failed`.
 */
export interface Door {
  perform(effect: Effect, options?: PerformOptions): Promise<Outcome>;
  /** Says how to look at a target again, from what the reservation kept. Call before `recover`. */
  registerObserver(name: string, observe: (reservation: JsonObject) => Observe): void;
  registerInterlock(interlock: Interlock): void;
  /**
   * After a start: every reservation without an outcome is written down as interrupted and unknown, then observed. Sends
   * nothing. Resolves when all were looked at; whoever cannot wait for that goes on without, `actions` tells how far it
   * is. The signal ends the looking, not the writing down.
   */
  recover(signal: AbortSignal): Promise<{ readonly inDoubt: readonly ActionRecord[] }>;
  action(id: string): ActionRecord | undefined;
  /** Newest first. `inDoubt`: only those whose outcome is unknown or missing. */
  actions(filter?: { readonly inDoubt?: boolean; readonly limit?: number }): readonly ActionRecord[];
}
