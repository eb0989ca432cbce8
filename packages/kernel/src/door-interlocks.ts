import type { Effect } from "./effect.ts";
import type { Interlock, LookedAt } from "./interlock.ts";
import { asSteadingError } from "./internal-error.ts";
import { KERNEL_ERRORS } from "./kernel-errors.ts";
import type { Log } from "./log.ts";
import type { Stage } from "./receipt.ts";
import { SteadingError, type ErrorTable } from "./steading-error.ts";

/** Interlocks of a part may have codes of their own, which are not in here. */
const rows: ErrorTable = KERNEL_ERRORS;

/** What the door tells interlocks about one effect on its way. */
export interface Admitted {
  sent(): void;
  ended(stage: Stage | undefined): void;
}

/** The rules about the physical world, asked in the lane. */
export interface DoorInterlocks {
  register(interlock: Interlock): void;
  /** Throws what the first objecting rule says. Effects towards safe are never objected to, only told about. */
  admit(effect: Effect): Admitted;
  looked(action: LookedAt, stage: Stage): void;
}

export function createDoorInterlocks({ log }: { readonly log: Log }): DoorInterlocks {
  const interlocks = new Map<string, Interlock>();

  function concerned(effect: Effect): Interlock[] {
    return [...interlocks.values()].filter((each) => {
      try {
        return each.applies(effect);
      } catch (error) {
        if (effect.toward === "live") throw asSteadingError(log, `The interlock ${each.name} failed.`, error);
        log.error("An interlock failed on an effect towards safe; it is left aside.", error, { interlock: each.name });
        return false;
      }
    });
  }

  function refuse(interlock: Interlock, effect: Effect): void {
    let refusal: ReturnType<Interlock["check"]>;
    try {
      refusal = interlock.check(effect);
    } catch (error) {
      throw asSteadingError(log, `The interlock ${interlock.name} failed.`, error);
    }
    if (!refusal) return;
    const { code, message, retryable, until } = refusal;
    const hint = rows[code]?.hint;
    throw new SteadingError(code, message, {
      retryable,
      ...(hint === undefined ? {} : { hint }),
      details: { interlock: interlock.name, ...(until === undefined ? {} : { until: new Date(until).toISOString() }) },
    });
  }

  /** A rule that cannot take notes must not stop an effect that is under way. */
  function tell(interlock: Interlock, note: () => void): void {
    try {
      note();
    } catch (error) {
      log.error("An interlock could not take note.", error, { interlock: interlock.name });
    }
  }

  return {
    register(interlock) {
      if (interlocks.has(interlock.name)) throw new TypeError(`There are two interlocks called ${interlock.name}.`);
      interlocks.set(interlock.name, interlock);
    },
    admit(effect) {
      const rules = concerned(effect);
      if (effect.toward === "live") for (const each of rules) refuse(each, effect);
      for (const each of rules) tell(each, () => each.admitted?.(effect));
      return {
        sent: () => rules.forEach((each) => tell(each, () => each.sent?.(effect))),
        ended: (stage) => rules.forEach((each) => tell(each, () => each.ended?.(effect, stage))),
      };
    },
    looked(action, stage) {
      for (const each of interlocks.values()) tell(each, () => each.looked?.(action, stage));
    },
  };
}
