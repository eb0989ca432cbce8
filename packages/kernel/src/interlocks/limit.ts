import type { Effect } from "../effect.ts";
import type { Interlock } from "../interlock.ts";

export interface LimitOptions {
  readonly name: string;
  readonly applies: (effect: Effect) => boolean;
  /** The value that the effect would set. Undefined when it cannot be told. */
  readonly value: (effect: Effect) => number | undefined;
  readonly min?: number;
  readonly max?: number;
  /** For the sentence: `°C`, `bar`. */
  readonly unit?: string;
}

/** Keeps a value within limits. What cannot be checked does not pass. */
export function limit({ name, applies, value, min = -Infinity, max = Infinity, unit = "" }: LimitOptions): Interlock {
  return {
    name,
    applies,
    check(effect) {
      const wanted = value(effect);
      if (wanted !== undefined && wanted >= min && wanted <= max) return undefined;
      const what =
        wanted === undefined || Number.isNaN(wanted) ? "A value that cannot be checked" : `${wanted} ${unit}`.trim();
      const range =
        min === -Infinity ? `at most ${max}` : max === Infinity ? `at least ${min}` : `from ${min} to ${max}`;
      const message = `${what} is outside the limits: ${`${range} ${unit}`.trim()} is allowed.`;
      return { code: "LIMIT_EXCEEDED", message, retryable: false };
    },
  };
}
