import type { LinkTrouble } from "../adapters/bus-session.ts";
import type { Broken, Heard } from "../wire/decoder.ts";
import { SYN } from "../wire/symbols.ts";
import type { BusCounters } from "./bus-events.ts";
import type { ExchangeResult } from "./exchange-result.ts";
import type { QueueCounters } from "./send-queue.ts";

/** Counts what happens on one bus, over all its connections. */
export function createBusTally() {
  const broken: Partial<Record<Broken, number>> = {};
  const trouble: Partial<Record<LinkTrouble, number>> = {};
  const outcomes: Record<string, number> = {};
  let [symbols, syns, telegrams, lost, resets, synMissed, faults] = [0, 0, 0, 0, 0, 0, 0];
  return {
    symbol(symbol: number): void {
      symbols += 1;
      if (symbol === SYN) syns += 1;
    },
    heard(event: Heard): void {
      if (event.kind === "telegram") telegrams += 1;
      else if (event.kind === "broken") broken[event.reason] = (broken[event.reason] ?? 0) + 1;
    },
    trouble: (kind: LinkTrouble): void => void (trouble[kind] = (trouble[kind] ?? 0) + 1),
    outcome: ({ outcome }: ExchangeResult): void => void (outcomes[outcome] = (outcomes[outcome] ?? 0) + 1),
    lost: (): void => void (lost += 1),
    reset: (): void => void (resets += 1),
    synMissed: (): void => void (synMissed += 1),
    fault: (): void => void (faults += 1),
    counters: (of: {
      readonly queue: QueueCounters;
      readonly connection: { readonly connects: number; readonly failures: number };
    }): BusCounters => ({
      symbols,
      syns,
      telegrams,
      broken: { ...broken },
      trouble: { ...trouble },
      arbitrationsLost: lost,
      adapterResets: resets,
      synMissed,
      faults,
      connects: of.connection.connects,
      failedConnects: of.connection.failures,
      ...of.queue,
      outcomes: { ...outcomes },
    }),
  };
}
