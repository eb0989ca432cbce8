/** The words of the contract for what became of our own telegram. */
export type ActiveOutcome = "success" | "timeout" | "nack" | "crc_mismatch" | "echo_mismatch";

/** Where it went wrong, for logs and for those who must know whether the device can have acted. */
export type ExchangeReason =
  | "done"
  | "arbitration"
  | "deadline"
  | "cancelled"
  | "no_echo"
  | "no_answer"
  | "refused"
  | "ack_position"
  | "response_crc"
  | "response_garbled"
  | "echo"
  | "adapter_reset"
  | "disconnected"
  | "withdrawn"
  | "daemon";

export interface ExchangeResult {
  readonly outcome: ActiveOutcome;
  readonly reason: ExchangeReason;
  /** Present exactly when a target answered. */
  readonly response?: Uint8Array;
  /** How often the command went out, wholly or in part. 0: nothing but an address, so nobody can have acted. */
  readonly transmissions: number;
  /** The target took the command. It must not be sent again by itself, whatever came after. */
  readonly acknowledged: boolean;
}

export function unsent(reason: ExchangeReason): ExchangeResult {
  return { outcome: "timeout", reason, transmissions: 0, acknowledged: false };
}
