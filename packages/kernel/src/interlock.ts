import type { Effect } from "./effect.ts";
import type { Stage } from "./receipt.ts";

/** A reason why an effect must not happen now. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** Epoch milliseconds from which it would pass, when that is known. */
  readonly until?: number;
}

/**
 * A rule about the physical world (limits, mutual exclusion, minimum times, rates), declared once and checked in the
 * target's lane, on fresh state, for every caller. Effects towards safe are not asked.
 */
export interface Interlock {
  readonly name: string;
  applies(effect: Effect): boolean;
  /** Undefined lets it pass. */
  check(effect: Effect): Refusal | undefined;
  /**
   * For rules that count or remember. Called for every effect that `applies`, towards safe as well: `admitted` in the
   * same step as the last check, `sent` at the first byte, `ended` with the stage it came to (undefined: nothing left
   * the hub).
   */
  admitted?(effect: Effect): void;
  sent?(effect: Effect): void;
  ended?(effect: Effect, stage: Stage | undefined): void;
  /**
   * What a second look found out about an action that was in doubt, and `unknown` for one that a crash interrupted.
   * Called for every target: `applies` cannot be asked, because of an old action only this much is known.
   */
  looked?(action: LookedAt, stage: Stage): void;
}

/** An action as it is on record; secrets among the arguments are redacted. */
export type LookedAt = Pick<Effect, "tool" | "target" | "toward" | "arguments" | "observer" | "observeWith">;
