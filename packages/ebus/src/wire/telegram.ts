import { isInitiator } from "./addresses.ts";
import { BROADCAST } from "./symbols.ts";

/** Who is expected to answer, and how: nobody, another initiator by ACK alone, or a target with a response. */
export type TelegramKind = "broadcast" | "initiator" | "target";

/** What an initiator says, in logical bytes. */
export interface Command {
  /** QQ. */
  readonly source: number;
  /** ZZ. */
  readonly target: number;
  /** PB. */
  readonly primary: number;
  /** SB. */
  readonly secondary: number;
  readonly data: Uint8Array;
}

/** A whole exchange that was acknowledged the way its kind asks for. */
export interface Telegram extends Command {
  readonly kind: TelegramKind;
  /** Present exactly for kind `target`. */
  readonly response?: Uint8Array;
}

export function kindOf(target: number): TelegramKind {
  if (target === BROADCAST) return "broadcast";
  return isInitiator(target) ? "initiator" : "target";
}
