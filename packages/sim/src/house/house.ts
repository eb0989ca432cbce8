import { createLampWaiters as createWaiters } from "../lamp-waiters.ts";
import { createBus, type Bus } from "./bus.ts";
import { BUS_TIMING, checkTiming, type BusTiming } from "./bus-timing.ts";
import { createRealHouseClock, type HouseClock } from "./clock.ts";
import { createExchangeLog } from "./exchange-log.ts";
import type { Exchange } from "./exchange.ts";
import { createHousehold } from "./household.ts";
import { createHouseKnobs, type HouseKnobs, type KnobSettings } from "./knobs.ts";
import type { PlantState } from "./physics/plant-state.ts";
import { createPorts, type HouseAddresses, type HousePortOptions } from "./ports/ports.ts";
import type { PortCounters } from "./ports/port-counters.ts";
import type { Session } from "./ports/session.ts";

export interface HouseOptions {
  /** The machine's clock unless given. */
  readonly clock?: HouseClock;
  readonly knobs?: KnobSettings;
  readonly timing?: Partial<BusTiming>;
  /** `frozen`: no weather, no boiler at work, every register as it was captured. Default `drift`. */
  readonly physics?: "drift" | "frozen";
  /** Local time of the house against UTC. Default 0. */
  readonly utcOffsetMinutes?: number;
  /** Exchanges the log keeps. Default 10 000. */
  readonly exchangeLogLimit?: number;
  /** The program that makes pseudo terminals. Default `python3`. */
  readonly python?: string;
}

export interface House {
  /** Switches the bus on and opens the named ports, 0 for a free one. All on 127.0.0.1. */
  start(ports?: HousePortOptions): Promise<HouseAddresses>;
  /** Unplugs it: ports closed, bus dead. Registers, log and counters stay. */
  stop(): Promise<void>;
  /** A port without a socket: bytes of a host in, bytes of the adapter out, on the house's own clock. */
  connect(port: "enh" | "plain", output: (bytes: Uint8Array) => void): Session;
  readonly bus: Bus;
  readonly knobs: HouseKnobs;
  /** Everything that happened between two SYN, oldest first. */
  readonly exchanges: readonly Exchange[];
  /** How many of the oldest the log has let go. */
  readonly exchangesDropped: number;
  /** What is really so, whatever the registers say. */
  readonly state: Readonly<PlantState>;
  /** Hosts at the ports. */
  readonly connections: number;
  /** What the ports turned away or lost. */
  readonly portCounters: Readonly<PortCounters>;
  /** Telegrams the house's own initiators could not queue. */
  readonly droppedTelegrams: number;
  /** Resolves as soon as the predicate holds; it is asked at once, after every exchange and after every change at a port. */
  waitFor(predicate: (house: House) => boolean, signal?: AbortSignal): Promise<void>;
}

/** A Vaillant house on an eBUS: five devices, one wire, real bytes. docs/reference/virtual-house.md describes it. */
export function createHouse({
  clock = createRealHouseClock(),
  knobs: turned = {},
  timing: givenTiming = {},
  physics = "drift",
  utcOffsetMinutes = 0,
  exchangeLogLimit = 10_000,
  python = "python3",
}: HouseOptions = {}): House {
  const timing = checkTiming({ ...BUS_TIMING, ...givenTiming });
  const log = createExchangeLog({ limit: exchangeLogLimit });
  const waiters = createWaiters();
  const { knobs, faults } = createHouseKnobs({
    actions: () => ({
      resetAdapter: () => ports.resetAdapter(),
      adapterError: (error) => ports.adapterError(error),
      cut: () => ports.cut(),
      inject: (bytes) => bus.send(nobody, bytes),
      lineChanged: () => bus.lineChanged(),
    }),
  });
  knobs.turn(turned);
  const settings = (): HouseKnobs["settings"] => knobs.settings;
  const nobody = { name: "injected", outside: false, hear: (): void => {} };
  const bus = createBus({
    clock,
    timing,
    faults,
    latencyMs: () => settings().latencyMs,
    thief: (address) => household.thief(address),
    onExchange(exchange) {
      log.add(exchange);
      waiters.check();
    },
  });
  const household = createHousehold({
    clock,
    bus,
    faults,
    settings,
    symbolMs: timing.symbolMs,
    frozen: physics === "frozen",
    utcOffsetMs: utcOffsetMinutes * 60_000,
  });
  const ports = createPorts({ clock, bus, faults, settings, python, onChange: () => waiters.check() });

  const house: House = {
    async start(options = {}) {
      const addresses = await ports.start(options);
      bus.start();
      household.start();
      return addresses;
    },
    async stop() {
      household.stop();
      bus.stop();
      waiters.fail(new Error("The house was stopped."));
      await ports.stop();
    },
    connect: (port, output) => ports.connect(port, (bytes) => output(Uint8Array.from(bytes))),
    bus,
    knobs,
    get exchanges() {
      return log.entries;
    },
    get exchangesDropped() {
      return log.dropped;
    },
    get state() {
      return household.state();
    },
    get connections() {
      return ports.connections;
    },
    portCounters: ports.counters,
    get droppedTelegrams() {
      return household.droppedTelegrams;
    },
    waitFor: (predicate, signal) => waiters.wait(() => predicate(house), signal),
  };
  return house;
}
