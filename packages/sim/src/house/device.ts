import type { Telegram } from "./exchange.ts";

/** What a device says to a command: data bytes (none is a valid answer), or that it does not know the command. */
export type Answer = readonly number[] | "unknown";

export interface Device {
  readonly name: string;
  /** Where it listens as a target; looked at for every command, so that a knob can move or hide it. */
  targets(): readonly number[];
  /** Its own initiator addresses, which take commands without a response. */
  readonly initiators: readonly number[];
  answer(telegram: Telegram): Answer;
  /** Broadcasts, and what comes to its initiator addresses. */
  overhear?(telegram: Telegram): void;
}
