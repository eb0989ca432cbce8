import type { BusSession } from "../adapters/bus-session.ts";
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
}

export function createGate({ readOnly }: { readonly readOnly: boolean }): Gate {
  let state: GateState = "shut";
  return {
    get state() {
      return state;
    },
    readOnly,
    turn(wanted) {
      if (!readOnly) state = wanted;
    },
    check(probe) {
      if (readOnly)
        throw ebusError("PERMISSION_DENIED", "The bus is set to read only; nothing is sent.", {
          hint: "Set ebus.readOnly to false if the hub may take part in the bus.",
        });
      if (state === "open" || (probe && state === "probing")) return;
      throw ebusError("INVALID_ARGUMENT", "source selection not active");
    },
  };
}

/** The session behind the gate. A shut gate here is a fault of ours, so it throws instead of dropping bytes quietly. */
export function behindGate(session: BusSession, gate: Gate): Pick<BusSession, "contend" | "withdraw" | "send"> {
  const pass = (): void => gate.check(gate.state === "probing");
  return {
    contend(source) {
      pass();
      session.contend(source);
    },
    withdraw: () => session.withdraw(),
    send(symbol) {
      pass();
      session.send(symbol);
    },
  };
}
