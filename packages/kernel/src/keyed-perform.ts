import { untilAborted } from "./abortable.ts";
import type { ActionStore, StoredAction } from "./action-store.ts";
import type { PerformOptions } from "./door.ts";
import type { Effect, Outcome } from "./effect.ts";
import { asSteadingError } from "./internal-error.ts";
import { kernelError } from "./kernel-errors.ts";
import type { ClaimEnd, KeyClaims } from "./key-claims.ts";
import type { KeyStore, StoredKey } from "./key-store.ts";
import type { Log } from "./log.ts";

/** What one run from approval to outcome needs to know besides its effect. */
export interface Execution {
  readonly argumentsHash: string;
  /** The key, as it stood when it was looked up: another hub may use it meanwhile. */
  readonly key?: { readonly id: string; readonly revision: number };
  readonly options: PerformOptions;
  /** Called once there is no way back. */
  readonly onRecord?: () => void;
}

export interface LookWait {
  /** Ends the waiting for the lane. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the looking too. A caller that leaves does not: others may wait for what is seen. */
  readonly stop?: AbortSignal;
}

/** Makes sure that one key reaches the wire at most once, however often and from wherever it comes. */
export interface KeyedPerform {
  perform(effect: Effect, argumentsHash: string, options: PerformOptions): Promise<Outcome>;
  /** A second look at an action, with its key held so that whoever repeats it waits for what is seen. */
  lookAgain(action: StoredAction, wait: LookWait): Promise<Outcome>;
  readonly replayed: number;
}

export function createKeyedPerform({
  keys,
  claims,
  actions,
  execute,
  lookAgain,
  log,
}: {
  readonly keys: KeyStore;
  readonly claims: KeyClaims;
  readonly actions: ActionStore;
  readonly execute: (effect: Effect, execution: Execution) => Promise<Outcome>;
  readonly lookAgain: (action: StoredAction, wait: LookWait) => Promise<Outcome>;
  readonly log: Log;
}): KeyedPerform {
  let replayed = 0;

  /** Takes the key, does the work, and lets everybody who waited know how it ended. */
  async function withClaim(
    keyId: string,
    argumentsHash: string,
    work: (onRecord: () => void) => Promise<Outcome>,
  ): Promise<Outcome> {
    const claim = claims.take(keyId, argumentsHash);
    let recorded = false;
    let end: ClaimEnd = { kind: "released" };
    try {
      const outcome = await work(() => (recorded = true));
      end = { kind: "outcome", outcome };
      return outcome;
    } catch (error) {
      if (recorded) end = { kind: "error", error: asSteadingError(log, "An effect failed.", error) };
      throw error;
    } finally {
      claim.end(end);
    }
  }

  function replay(outcome: Outcome): Outcome {
    replayed += 1;
    return { ...outcome, replayed: true };
  }

  /** What is on record under a key; when that is in doubt, a second look and never a second sending. */
  async function known(keyId: string, stored: StoredKey, { signal }: PerformOptions): Promise<Outcome> {
    if (stored.outcome && stored.outcome.receipt.stage !== "unknown") return stored.outcome;
    const action = actions.get(stored.action);
    if (action) return withClaim(keyId, stored.argumentsHash, () => lookAgain(action, { signal }));
    if (stored.outcome) return stored.outcome;
    throw kernelError("INTERRUPTED", "What became of the action with this key is not known, and its record is gone.", {
      details: { action: stored.action },
    });
  }

  return {
    async perform(effect, argumentsHash, options) {
      const keyId = keys.idFor(effect, argumentsHash);
      for (;;) {
        // From here to the taking of the claim nothing waits, so no second call can slip in between.
        const held = claims.get(keyId);
        const stored = keys.get(keyId);
        const entry = held ?? stored;
        if (entry && entry.argumentsHash !== argumentsHash) throw keyConflict();
        if (!held && stored) return replay(await known(keyId, stored, options));
        if (!held) {
          const key = { id: keyId, revision: keys.revision(keyId) };
          const run = (onRecord: () => void): Promise<Outcome> =>
            execute(effect, { argumentsHash, key, options, onRecord });
          return withClaim(keyId, argumentsHash, run);
        }
        const end = await untilAborted(held.ended, options.signal, WAIT_CANCELLED);
        if (end.kind === "error") throw end.error;
        if (end.kind === "outcome") return replay(end.outcome);
      }
    },
    lookAgain(action, wait) {
      const { keyId, argumentsHash } = action;
      if (keyId === undefined || claims.has(keyId)) return lookAgain(action, wait);
      return withClaim(keyId, argumentsHash, () => lookAgain(action, wait));
    },
    get replayed() {
      return replayed;
    },
  };
}

/** The one that holds the key may have sent. */
const WAIT_CANCELLED = "The call was cancelled; an earlier one with the same key goes on.";

function keyConflict(): Error {
  return kernelError("CONFLICT", "This idempotency key belongs to an action with other arguments; nothing was sent.");
}
