/** All in milliseconds. */
export interface BusTiming {
  /** One symbol at 2400 Bd, 8N1: ten bits. */
  readonly symbolMs: number;
  /** An idle bus gets a SYN after that long. */
  readonly synMs: number;
  /** An arbitration collects addresses for that long after the SYN. */
  readonly slotMs: number;
  /**
   * How long a host that holds the bus may think between two symbols before the next SYN takes it away. A real bus
   * gives it `synMs`; a host behind a socket on a busy machine needs more, and a slow adapter more still.
   */
  readonly hostTurnMs: number;
}

export const BUS_TIMING: BusTiming = { symbolMs: 10_000 / 2_400, synMs: 40, slotMs: 4.3, hostTurnMs: 250 };

export function checkTiming(timing: BusTiming): BusTiming {
  for (const [name, value] of Object.entries(timing)) {
    if (typeof value !== "number" || !(value >= 0) || !Number.isFinite(value)) {
      throw new Error(`Bus timing ${name}: expected milliseconds from 0 on, got ${String(value)}.`);
    }
  }
  return timing;
}
