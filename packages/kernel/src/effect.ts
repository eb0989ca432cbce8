import type { Caller, Role } from "./caller.ts";
import type { Duration } from "./duration.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Received } from "./received.ts";
import type { Receipt } from "./receipt.ts";

/** `safe`: OFF, stop, fail-safe. Nothing but missing credentials or a wrong target may hold it up. Everything else is `live`. */
export type Toward = "safe" | "live";

/** How a tool's effect is confirmed: not at all, by the asking client, or by somebody else. */
export type Confirm = "plain" | "confirm" | "approve";

/** The driver's side of one effect. The door calls it in the target's lane, after the reservation is on disk. */
export interface Drive {
  /**
   * Puts the command on the wire and returns what the device acknowledged (null when its acknowledgement says nothing).
   * Must call `wire.firstByte()` right before the first byte leaves: a failure before that frees the idempotency key,
   * any later one leaves the outcome unknown. Throws SteadingError; a device's clear refusal after the first byte is
   * thrown with `details.refused: true` and ends as `failed`, everything else as `unknown`.
   */
  send(wire: { firstByte(): void }, signal: AbortSignal): Promise<Json>;
}

/**
 * How the outcome of an effect is seen. Apart from `send`, because a repeat of an unknown effect and the recovery after
 * a crash observe without ever sending.
 */
export interface Observe {
  /** Asks the device and returns what arrives. Called again, after a pause, until it `satisfies` or the deadline passes. */
  read(signal: AbortSignal): Promise<Received>;
  /** Does this arrival show the wanted state? */
  satisfies(value: Json): boolean;
}

export interface Effect {
  /** Tool (or automation, or plan leaf) that asks; part of the idempotency key's scope. */
  readonly tool: string;
  readonly caller: Caller;
  readonly minimumRole: Role;
  /** Validated arguments: hashed for key conflicts and approvals, recorded in the audit. Secrets are already redacted. */
  readonly arguments: JsonObject;
  readonly key?: string;
  /** Same key, other arguments: `conflict` (default) refuses, `separate` treats it as an action of its own. */
  readonly sameKey?: "conflict" | "separate";
  /** How long the key of a finished effect is remembered. Default 24 h. */
  readonly keyTtl?: Duration;
  /** The physical thing; one effect at a time per target. */
  readonly target: string;
  /**
   * What of the target it changes, where that is several things, such as the contacts of a board. Whatever goes on and
   * still waits is taken back when a later effect towards safe has one of its things. Default: the target is one thing.
   */
  readonly things?: readonly string[];
  readonly toward: Toward;
  readonly confirm: Confirm;
  /** The task (run, plan) this effect belongs to, for an approval that was given for a whole task. */
  readonly task?: string;
  /** Approval id that the caller brought along. */
  readonly approval?: string;
  /** One line in our own words: what will happen if this goes out. */
  readonly summary: string;
  /** Names the observer that can look at this effect's target after a crash; see `Door.registerObserver`. */
  readonly observer: string;
  /** What `observer` needs to look again: address, expected value. Kept with the reservation. */
  readonly observeWith: JsonObject;
  /**
   * The last observed state, for the receipt's `before`. Undefined when it was never seen. A function is asked in the
   * lane, when whatever went first has ended: a value may be older than that.
   */
  readonly before?: Json | (() => Json | undefined);
  /** Throws a SteadingError when the request makes no sense. Runs before anything is looked up or recorded. */
  validate?(): void;
  readonly drive: Drive;
  /** Default 10 s. */
  readonly sendDeadline?: Duration;
  /** How long to look for the wanted state. Default 5 s. Zero: the device has no read-back, `acknowledged` is the end. */
  readonly observeDeadline?: Duration;
}

/** What became of an effect. Tools build their answer from this alone, so a replayed answer equals the first one. */
export interface Outcome {
  readonly receipt: Receipt;
  /** Observed state before the effect, if it was known. */
  readonly before?: Json;
  /** What the device acknowledged. */
  readonly acknowledgement?: Json;
  /** Why it is `unknown` or `failed`. */
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean };
  /** The answer of an earlier call with the same key. */
  readonly replayed?: boolean;
}
