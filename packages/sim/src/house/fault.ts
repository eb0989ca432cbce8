/** One way to misbehave, armed for a number of times and counted. */
export interface Fault<Options extends object = object> {
  /** `times` defaults to 1, or to no end for a state such as silence. Arming again replaces what was left. */
  arm(options?: FaultOptions<Options>): void;
  disarm(): void;
  /** How often it will still strike; 0 is disarmed. */
  readonly left: number;
  /** How often it struck since the house was made. */
  readonly hits: number;
}

export type FaultOptions<Options extends object = object> = Partial<Options> & { readonly times?: number };

/** The side of a fault that the house holds. */
export interface ArmedFault<Options extends object> extends Fault<Options> {
  /** Strikes once if it is armed and applies; the options say how. */
  strike(applies?: (options: Options) => boolean): Options | undefined;
}

export function createFault<Options extends object>({
  name,
  defaults,
  times: usualTimes = 1,
  onChange = () => {},
}: {
  readonly name: string;
  readonly defaults: Options;
  readonly times?: number;
  readonly onChange?: () => void;
}): ArmedFault<Options> {
  let left = 0;
  let hits = 0;
  let options = defaults;
  return {
    arm({ times = usualTimes, ...given } = {}) {
      if (!(times >= 1) || (Number.isFinite(times) && !Number.isInteger(times))) {
        throw new Error(`Knob ${name}: times must be a whole number from 1 on, or Infinity; got ${String(times)}.`);
      }
      // What is left of the argument after `times` are options of this fault: that is what its type says.
      options = { ...defaults, ...(given as unknown as Partial<Options>) };
      left = times;
      onChange();
    },
    disarm() {
      left = 0;
      onChange();
    },
    strike(applies = () => true) {
      if (left === 0 || !applies(options)) return undefined;
      left -= 1;
      hits += 1;
      return options;
    },
    get left() {
      return left;
    },
    get hits() {
      return hits;
    },
  };
}
