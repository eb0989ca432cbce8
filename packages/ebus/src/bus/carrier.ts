import type { Command } from "../wire/telegram.ts";
import type { ExchangeResult } from "./exchange-result.ts";

export interface CarryOptions {
  /** On the clock's monotonic scale. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
  /** Called right before the first byte that a device could act on. May refuse by throwing; nothing leaves then. */
  firstByte?(): void;
}

/** Gets one telegram across, whatever the adapter is. One at a time. */
export interface Carrier {
  carry(command: Command, options: CarryOptions): Promise<ExchangeResult>;
}
