import type { StoredAction } from "./action-store.ts";
import type { Clock } from "./clock.ts";
import type { DoorLimits } from "./door-limits.ts";
import { driveEffect } from "./drive-effect.ts";
import { millis } from "./duration.ts";
import type { EffectLedger } from "./effect-ledger.ts";
import type { Effect, Observe, Outcome } from "./effect.ts";
import type { Json } from "./json.ts";
import { kernelError } from "./kernel-errors.ts";
import type { Log } from "./log.ts";
import { observeEffect, type Seen } from "./observe-effect.ts";
import { observedReceipt, receipt } from "./receipt.ts";
import type { Reception } from "./received.ts";
import type { SteadingError } from "./steading-error.ts";

/** The part of an effect that happens in the lane, once its reservation is written. */
export interface CarryOut {
  /** Sends, observes, records. Throws only when no byte left the hub; the key is free again then. */
  send(effect: Effect, action: StoredAction, cut: AbortSignal, onFirstByte: () => void): Promise<Outcome>;
  /** Looks at an action whose outcome is not known. Sends nothing, ever. */
  lookAgain(action: StoredAction, cut: AbortSignal): Promise<Outcome>;
  /** Writes down that a crash came between. Never throws. */
  interrupt(action: StoredAction): Promise<void>;
}

type Failure = NonNullable<Outcome["error"]>;

export function createCarryOut({
  effects,
  observers,
  clock,
  reception,
  log,
  limits,
}: {
  readonly effects: EffectLedger;
  readonly observers: (action: StoredAction) => Observe | undefined;
  readonly clock: Clock;
  readonly reception: Reception;
  readonly log: Log;
  readonly limits: DoorLimits;
}): CarryOut {
  function look(action: StoredAction, since: number, cut: AbortSignal): Promise<Seen> {
    const observe = observers(action);
    if (!observe) return Promise.resolve({ kind: "expired", arrivals: 0 });
    const deadline = millis(action.observeDeadline);
    return observeEffect({ observe, since, deadline, pause: limits.observePause, clock, cut, log });
  }

  /** What the looking says about the outcome; `kept` is what is known besides. */
  function outcomeOf(action: StoredAction, seen: Seen, since: number, kept: Partial<Outcome>, why?: Failure): Outcome {
    const { id } = action;
    if (seen.kind === "observed") return { receipt: observedReceipt(id, seen.arrival, since), ...kept };
    const error = why ?? failure(seen.kind === "cut" ? superseded() : notObserved(seen.arrivals));
    return { receipt: receipt(id, "unknown", clock.now()), ...kept, error };
  }

  return {
    async send(effect, action, cut, onFirstByte) {
      const before: { before?: Json } = action.before === undefined ? {} : { before: action.before };
      const driven = await driveEffect({
        drive: effect.drive,
        deadline: effect.sendDeadline ?? limits.sendDeadline,
        grace: limits.sendGrace,
        clock,
        reception,
        log,
        onFirstByte,
      });
      if (driven.kind === "acknowledged") {
        const kept = { ...before, acknowledgement: driven.acknowledgement };
        const outcome =
          action.observeDeadline > 0
            ? outcomeOf(action, await look(action, driven.since, cut), driven.since, kept)
            : { receipt: receipt(action.id, "acknowledged", clock.now()), ...kept };
        await effects.finish(action, outcome);
        return outcome;
      }
      const stage = driven.kind === "lost" ? "unknown" : "failed";
      const outcome = { receipt: receipt(action.id, stage, clock.now()), ...before, error: failure(driven.error) };
      if (driven.kind === "unsent") {
        await effects.release(action, outcome);
        throw driven.error;
      }
      await effects.finish(action, outcome);
      return outcome;
    },

    async lookAgain(action, cut) {
      const since = reception.mark();
      const earlier = action.outcome;
      const { before } = action;
      const acknowledgement = earlier?.acknowledgement;
      const kept = {
        ...(before === undefined ? {} : { before }),
        ...(acknowledgement === undefined ? {} : { acknowledgement }),
      };
      const why = earlier?.error ?? failure(interrupted());
      const outcome = outcomeOf(action, await look(action, since, cut), since, kept, why);
      // A second look that sees nothing adds nothing; the first one's time and reason stay.
      if (earlier && outcome.receipt.stage === "unknown") return earlier;
      await effects.finish(action, outcome);
      return outcome;
    },

    interrupt(action) {
      const { id, before } = action;
      const known = before === undefined ? {} : { before };
      return effects.finish(action, {
        receipt: receipt(id, "unknown", clock.now()),
        ...known,
        error: failure(interrupted()),
      });
    },
  };
}

function failure({ code, message, retryable }: SteadingError): Failure {
  return { code, message, retryable };
}
function superseded(): SteadingError {
  return kernelError("SUPERSEDED", "Something towards safe went first, so nobody looked at what became of this.");
}
function notObserved(arrivals: number): SteadingError {
  const what = arrivals > 0 ? "The device shows another state than the wanted one." : "The device did not report back.";
  return kernelError("NOT_OBSERVED", `It was acknowledged, but not seen to take effect in time. ${what}`);
}
function interrupted(): SteadingError {
  return kernelError("INTERRUPTED", "The hub stopped while this was under way; whether it was sent is not known.");
}
