import type { SteadingError } from "@steading/kernel";
import { ebusError } from "../ebus-errors.ts";

/** `shut`: nothing leaves. `probing`: only the search for a source address. `open`: a source is admitted. */
export type GateState = "shut" | "probing" | "open";

/**
 * What stands between us and the wire. Read-only is no state that can be left: such a gate has no way to open.
 */
export interface Gate {
  readonly state: GateState;
  readonly readOnly: boolean;
  turn(state: GateState): void;
  /** Throws why a request cannot go out. */
  check(probe: boolean): void;
  /** Throws unless a byte may go to the bus at this moment; asked for each of them. */
  permit(): void;
}

/** What became of the wish to send of somebody who has no address on the bus. */
export function sourceNotActive(): SteadingError {
  return ebusError("INVALID_ARGUMENT", "source selection not active");
}

export function createGate({
  readOnly,
  onShut = () => {},
}: {
  readonly readOnly: boolean;
  /** Whoever waits behind the gate must be told at once: a byte that was allowed a symbol ago is not any more. */
  readonly onShut?: () => void;
}): Gate {
  let state: GateState = "shut";
  function check(probe: boolean): void {
    if (readOnly)
      throw ebusError("PERMISSION_DENIED", "The bus is set to read only; nothing is sent.", {
        hint: "Set ebus.readOnly to false if the hub may take part in the bus.",
      });
    if (state === "open" || (probe && state === "probing")) return;
    throw sourceNotActive();
  }
  return {
    get state() {
      return state;
    },
    readOnly,
    turn(wanted) {
      if (readOnly || wanted === state) return;
      state = wanted;
      if (state === "shut") onShut();
    },
    check,
    permit: () => check(true),
  };
}
