import type { Effect } from "../effect.ts";
import type { Interlock } from "../interlock.ts";

export interface MutualExclusionOptions {
  readonly name: string;
  /** Of these targets at most one may be on. */
  readonly targets: readonly string[];
  /** Does this effect turn its target on? */
  readonly turnsOn: (effect: Effect) => boolean;
  /** The freshest known state; undefined when it is not known. */
  readonly isOn: (target: string) => boolean | undefined;
}

/**
 * Keeps two things from being on together. Each target has its own lane, so this also counts what is under way and what
 * ended in doubt; a target of unknown state counts as on, because guessing is how both end up on.
 */
export function mutualExclusion({ name, targets, turnsOn, isOn }: MutualExclusionOptions): Interlock {
  const group = new Set(targets);
  const underWay = new Set<string>();
  const inDoubt = new Set<string>();

  function why(target: string): string | undefined {
    if (underWay.has(target)) return "is being switched on";
    if (inDoubt.has(target)) return "may be on";
    const on = isOn(target);
    if (on === undefined) return "is in an unknown state";
    return on ? "is on" : undefined;
  }

  return {
    name,
    applies: ({ target }) => group.has(target),
    check(effect) {
      if (!turnsOn(effect)) return undefined;
      for (const other of group) {
        if (other === effect.target) continue;
        const reason = why(other);
        if (reason === undefined) continue;
        const message = `Another one of this group ${reason}; only one may be on. Switch that one off first.`;
        return { code: "EXCLUDED", message, retryable: true };
      }
      return undefined;
    },
    admitted(effect) {
      if (turnsOn(effect)) underWay.add(effect.target);
    },
    ended(effect, stage) {
      const { target } = effect;
      if (turnsOn(effect)) underWay.delete(target);
      if (turnsOn(effect) && stage === "unknown") inDoubt.add(target);
      else if (stage === "observed" || (stage === "acknowledged" && !turnsOn(effect))) inDoubt.delete(target);
    },
    looked({ target, toward }, stage) {
      if (!group.has(target)) return;
      if (stage === "observed") inDoubt.delete(target);
      // Whether it turned on cannot be asked of an old action, so that anything live may have.
      else if (stage === "unknown" && toward === "live") inDoubt.add(target);
    },
  };
}
