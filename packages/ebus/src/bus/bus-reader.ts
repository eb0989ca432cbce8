import { millis, type Clock } from "@steading/kernel";
import type { EbusBus, BusRead } from "./create-bus.ts";
import type { ExchangeResult } from "./exchange-result.ts";

const PAUSE = millis(25);
const AGAIN = millis(75);
const ATTEMPTS = 3;
/** Extended registers and timers: busy regulators fail a third of these under contention. */
const STUBBORN = new Set([0xb524, 0xb555]);

export interface BusReader {
  read(request: BusRead): Promise<ExchangeResult>;
}

/** Reads for whoever polls: one after the other, with a pause in which others get the bus, and again where that helps. */
export function createBusReader({
  bus,
  clock,
}: {
  readonly bus: Pick<EbusBus, "read">;
  readonly clock: Clock;
}): BusReader {
  let last: Promise<unknown> = Promise.resolve();

  async function attempt(request: BusRead): Promise<ExchangeResult> {
    const attempts = STUBBORN.has((request.primary << 8) | request.secondary) ? ATTEMPTS : 1;
    for (let n = 1; ; n += 1) {
      const result = await bus.read(request);
      // A device that refused will refuse again.
      if (n >= attempts || result.outcome === "success" || result.outcome === "nack") return result;
      if (request.signal?.aborted) return result;
      await clock.sleep(AGAIN);
    }
  }

  return {
    read(request) {
      const mine = last.then(() => attempt(request));
      // The next one waits for the pause, whatever became of this one.
      last = mine.catch(() => undefined).then(() => clock.sleep(PAUSE));
      return mine;
    },
  };
}
