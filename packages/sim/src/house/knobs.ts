import { createFaults, type ArmedFaults, type FaultName, type Faults, type FaultSettings } from "./faults.ts";
import { checkSettings, HOUSE_SETTINGS, type HouseSettings } from "./settings.ts";

export type KnobSettings = Partial<HouseSettings> & { readonly faults?: FaultSettings };

/** Everything about the house that a test or a person may turn while it runs. */
export interface HouseKnobs {
  readonly settings: HouseSettings;
  /** Changes settings and arms faults; what is not named stays. An unknown name or value is an error. */
  turn(settings: KnobSettings): void;
  readonly faults: Faults;
  /** The enhanced adapter starts over: RESETTED to its hosts, their START and their hold on the bus are gone. */
  resetAdapter(): void;
  /** The adapter reports trouble on the bus (`ebus`) or with the host, code 00 framing or 01 overrun. */
  adapterError(options?: { readonly about?: "ebus" | "host"; readonly code?: number }): void;
  /** Drops every connection and forgets every UDP peer. */
  cut(): void;
  /** Puts these bytes on the wire as they are, sent by nobody. */
  inject(bytes: readonly number[]): void;
  /** How often each fault struck and each action was taken since the house was made. */
  counts(): Readonly<Record<string, number>>;
  /** Settings back to their defaults, faults disarmed. Counts stay. */
  reset(): void;
}

export interface KnobActions {
  resetAdapter(): void;
  adapterError(error: { about: "ebus" | "host"; code: number }): void;
  cut(): void;
  inject(bytes: readonly number[]): void;
  lineChanged(): void;
}

export function createHouseKnobs({ actions }: { actions: () => KnobActions }): {
  knobs: HouseKnobs;
  faults: ArmedFaults;
} {
  const faults = createFaults({ onLineChange: () => actions().lineChanged() });
  const names = Object.keys(faults) as FaultName[]; // the keys of a record over FaultName
  const taken = { resetAdapter: 0, adapterError: 0, cut: 0, inject: 0 };
  let settings = HOUSE_SETTINGS;

  function arm(given: FaultSettings): void {
    for (const [name, options] of Object.entries(given)) {
      if (!Object.hasOwn(faults, name)) {
        throw new Error(`The house has no fault ${name}; it has ${names.join(", ")}.`);
      }
      // The key is one of FaultSettings, so these are the options of that fault.
      faults[name as FaultName].arm(options as object);
    }
  }

  return {
    faults,
    knobs: {
      get settings() {
        return settings;
      },
      turn({ faults: given = {}, ...rest }) {
        settings = { ...settings, ...checkSettings(rest) };
        arm(given);
      },
      faults,
      resetAdapter() {
        taken.resetAdapter += 1;
        actions().resetAdapter();
      },
      adapterError({ about = "ebus", code = 0 } = {}) {
        taken.adapterError += 1;
        actions().adapterError({ about, code });
      },
      cut() {
        taken.cut += 1;
        actions().cut();
      },
      inject(bytes) {
        taken.inject += 1;
        actions().inject(bytes);
      },
      counts: () => ({ ...Object.fromEntries(names.map((name) => [name, faults[name].hits])), ...taken }),
      reset() {
        settings = HOUSE_SETTINGS;
        for (const name of names) faults[name].disarm();
      },
    },
  };
}
