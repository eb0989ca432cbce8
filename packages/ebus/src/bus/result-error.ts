import type { SteadingError } from "@steading/kernel";
import { ebusError } from "../ebus-errors.ts";
import type { ExchangeResult } from "./exchange-result.ts";

/** The error that a failed exchange is to whoever asked. `refused`: it is certain that nothing was carried out. */
export function errorOf({ outcome, reason, transmissions, acknowledged }: ExchangeResult, what: string): SteadingError {
  const details = { outcome, reason, transmissions, acknowledged };
  switch (outcome) {
    case "nack":
      return reason === "refused"
        ? ebusError("PROTOCOL_ERROR", `${what}: the device refused the command (NACK).`, {
            details: { ...details, refused: true },
            retryable: false,
          })
        : ebusError("PROTOCOL_ERROR", `${what}: something else than an acknowledgement came back.`, { details });
    case "crc_mismatch":
      return ebusError("PROTOCOL_ERROR", `${what}: the answer was damaged twice.`, { details, retryable: true });
    case "echo_mismatch":
      return ebusError("BUS_UNAVAILABLE", `${what}: another participant talked over it.`, { details });
    default:
      if (reason === "arbitration")
        return ebusError("BUS_UNAVAILABLE", `${what}: the bus was never free.`, { details });
      if (reason === "disconnected")
        return ebusError("BUS_UNAVAILABLE", `${what}: the adapter is not connected.`, { details, retryable: false });
      if (reason === "withdrawn")
        return ebusError("BUS_UNAVAILABLE", `${what}: broken off, since we may no longer speak.`, { details });
      return ebusError("TIMEOUT", `${what}: no answer in time.`, { details });
  }
}
