import { millis, seconds, type Clock } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import { createBus, type Bus, type BusCounters } from "../modbus/bus.ts";
import type { GatewayAddress } from "../modbus/gateway-address.ts";
import { createLine } from "../modbus/line.ts";
import type { Dial } from "../modbus/wire.ts";
import type { Equipment } from "./rows.ts";
import { wayTo } from "./way-to.ts";

type Place = Pick<Equipment, "protocol" | "address" | "transport">;

/** One bus for each gateway, whoever asks for it. */
export interface Gateways {
  /** Undefined for what has no bus. */
  busOf(place: Place): Bus | undefined;
  /**
   * The bus behind any address, the same one that equipment there is on, so that nothing ever talks over a poll. Without
   * equipment behind it, it ends a minute after it was last asked for. Undefined: not an address.
   */
  reach(place: Pick<Equipment, "address" | "transport">): Bus | undefined;
  /** Ends a connection; the next request makes a fresh one. False: there is no gateway of that name. */
  disconnect(name: string): boolean;
  /** Each gateway, and whether it is connected. */
  connected(): Readonly<Record<string, boolean>>;
  counters(): Readonly<Record<string, BusCounters>>;
  /** Ends the connections that no equipment is behind any more. */
  closeUnused(): void;
  close(): void;
}

/** A connection that only a direct request wanted. */
const IDLE = seconds(60);
/** More gateways than a place has; who asks one after another must not leave a connection open for each. */
const MOST_REACHED = 64;

export function createGateways({
  dial,
  clock,
  timeoutMs,
  inUse,
}: {
  readonly dial: (address: GatewayAddress) => Dial;
  readonly clock: Clock;
  readonly timeoutMs?: number | undefined;
  readonly inUse: () => readonly Place[];
}): Gateways {
  const buses = new Map<string, Bus>();
  /** Buses that were asked for by address, and until when they stay. */
  const reached = new Map<Bus, number>();

  function busOf(place: Place): Bus | undefined {
    const way = wayTo(place, { dial, clock });
    if (!way) return undefined;
    const known = buses.get(way.key);
    if (known) return known;
    const line = createLine({ name: way.key, open: way.open, anonymousFrames: way.anonymousFrames, clock });
    const bus = createBus({ line, clock, ...(timeoutMs === undefined ? {} : { timeout: millis(timeoutMs) }) });
    buses.set(way.key, bus);
    return bus;
  }

  function closeUnused(): void {
    const used = new Set(inUse().map(busOf));
    const present = clock.monotonic();
    for (const [bus, until] of reached) if (until <= present) reached.delete(bus);
    for (const [key, bus] of buses) {
      if (used.has(bus) || reached.has(bus)) continue;
      bus.close();
      buses.delete(key);
    }
  }

  return {
    busOf,
    closeUnused,
    reach({ address, transport }) {
      if (reached.size >= MOST_REACHED) closeUnused();
      const bus = busOf({ protocol: "modbus", address, transport });
      if (!bus) return undefined;
      if (!reached.has(bus) && reached.size >= MOST_REACHED) {
        closeUnused();
        throw farmError("BUS_BUSY", `${MOST_REACHED} gateways were asked within a minute; wait for a while.`);
      }
      reached.set(bus, clock.monotonic() + IDLE);
      return bus;
    },
    disconnect(name) {
      const bus = buses.get(name);
      bus?.disconnect();
      return bus !== undefined;
    },
    connected: () => Object.fromEntries([...buses].map(([key, bus]) => [key, bus.connected()])),
    counters: () => Object.fromEntries([...buses].map(([key, bus]) => [key, bus.counters()])),
    close() {
      for (const bus of buses.values()) bus.close();
      buses.clear();
      reached.clear();
    },
  };
}
