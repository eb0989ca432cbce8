import { millis, type Clock } from "@steading/kernel";
import type { EbusdSession } from "../adapters/ebusd-session.ts";
import { ebusdHexCommand, readEbusdReply, type EbusdFailure } from "../adapters/ebusd-text.ts";
import { ebusError } from "../ebus-errors.ts";
import { encodeCommand } from "../wire/encode.ts";
import type { Carrier } from "./carrier.ts";
import type { ActiveOutcome, ExchangeReason } from "./exchange-result.ts";
import type { Gate } from "./gate.ts";

const OUTCOMES: Readonly<
  Record<Exclude<EbusdFailure, "permission" | "invalid">, readonly [ActiveOutcome, ExchangeReason]>
> = {
  timeout: ["timeout", "no_answer"],
  collision: ["timeout", "arbitration"],
  nack: ["nack", "refused"],
  crc_mismatch: ["crc_mismatch", "response_crc"],
  echo_mismatch: ["echo_mismatch", "echo"],
};

/** Hands whole telegrams to ebusd, which has the bus and its own address there. */
export function createTextCarrier({
  session,
  clock,
  gate,
}: {
  readonly session: EbusdSession;
  readonly clock: Clock;
  readonly gate: Gate;
}): Carrier {
  return {
    async carry(command, { deadline, firstByte }) {
      gate.check(false);
      encodeCommand(command);
      firstByte?.();
      const lines = await session.ask(ebusdHexCommand(command), millis(deadline - clock.monotonic()));
      if (lines.length === 0 && session.over && clock.monotonic() < deadline)
        return { outcome: "timeout", reason: "disconnected", transmissions: 1, acknowledged: false };
      const reply = readEbusdReply(lines);
      if (reply.kind === "sent") return { outcome: "success", reason: "done", transmissions: 1, acknowledged: false };
      if (reply.kind === "data")
        return { outcome: "success", reason: "done", response: reply.data, transmissions: 1, acknowledged: true };
      const { outcome } = reply;
      if (outcome === "permission")
        throw ebusError("PERMISSION_DENIED", "ebusd does not let us send; start it with --enablehex.");
      if (outcome === "invalid")
        throw ebusError("PROTOCOL_ERROR", "ebusd answered something that is no answer to a telegram.");
      const [word, reason] = OUTCOMES[outcome];
      return { outcome: word, reason, transmissions: reason === "arbitration" ? 0 : 1, acknowledged: false };
    },
  };
}
