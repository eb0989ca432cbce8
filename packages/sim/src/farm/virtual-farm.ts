import { createRealHouseClock, type HouseClock } from "../house/clock.ts";
import type { PtyAddress } from "../house/ports/pty-port.ts";
import type { PortAddress } from "../house/ports/tcp-port.ts";
import { createLampWaiters as createWaiters } from "../lamp-waiters.ts";
import { createEsp32Board, createFactoryBoard } from "./esp32-board.ts";
import type { GatewayKnobs, UnitKnobs } from "./farm-knobs.ts";
import { createField, type FieldState } from "./field.ts";
import { createGateway, type Gateway } from "./gateway.ts";
import { createRelayBoard, type RelayBoard } from "./relay-board.ts";
import { createSerialLines } from "./serial-lines.ts";
import { createClimateSensor, createFlowMeter, createSoilProbe, createSolutionProbe } from "./sensors.ts";
import type { Unit } from "./unit.ts";
import { createFarmWireLog, type FarmExchange } from "./wire-log.ts";

export type GatewayName = "shed" | "greenhouse" | "gate";
/** 0, the usual, is a free port. */
export type FarmPorts = Partial<Record<GatewayName, number>>;
export type FarmAddresses = Readonly<Record<GatewayName, PortAddress>>;

export interface VirtualFarmOptions {
  /** The machine's clock unless given. */
  readonly clock?: HouseClock;
  /** Exchanges that the log keeps. Default 10 000. */
  readonly logLimit?: number;
}

export interface VirtualFarm {
  /** Opens all gateways on 127.0.0.1. */
  start(ports?: FarmPorts): Promise<FarmAddresses>;
  /** Unplugs the network; relays, weather and log stay. */
  stop(): Promise<void>;
  /** Turns knobs of one gateway. */
  gateway(name: GatewayName, knobs: Partial<GatewayKnobs>): void;
  /** Turns knobs of one unit. */
  unit(gateway: GatewayName, address: number, knobs: Partial<UnitKnobs>): void;
  /** Drops the connections of one gateway. */
  cut(name: GatewayName): void;
  /** A serial line into the segment of an RTU gateway, as a pseudo terminal; tells where the machine cannot make one. */
  plugSerial(name: GatewayName): Promise<PtyAddress>;
  /** Pulls it out; whoever has it open loses it. The next one may have another path. */
  unplugSerial(name: GatewayName): Promise<void>;
  /** Power goes and comes: every relay of that gateway opens. */
  powerCycle(name: GatewayName): void;
  /** Every knob back to where it was. */
  reset(): void;
  /** Whether the contact is really closed, whatever the board says. */
  isClosed(gateway: GatewayName, address: number, channel: number): boolean;
  /** The weather, the water and the plants as they really are. */
  readonly state: FieldState;
  /** Every request that reached a gateway, oldest first. */
  readonly exchanges: readonly FarmExchange[];
  readonly exchangesDropped: number;
  readonly connections: Readonly<Record<GatewayName, number>>;
  /** Requests that were no Modbus or found the queue full. */
  readonly rejected: Readonly<Record<GatewayName, number>>;
  /** Resolves as soon as the predicate holds; it is asked at once, after every exchange and at every connection. */
  waitFor(predicate: (farm: VirtualFarm) => boolean, signal?: AbortSignal): Promise<void>;
}

/** A farm of three gateways whose relays, weather and soil answer to each other. docs/reference/virtual-farm.md has its map. */
export function createVirtualFarm({
  clock = createRealHouseClock(),
  logLimit = 10_000,
}: VirtualFarmOptions = {}): VirtualFarm {
  const log = createFarmWireLog({ limit: logLimit });
  const waiters = createWaiters();
  const serial = createSerialLines();
  const contacts = { clock, beforeMove: () => void look() };
  const shedRelays = createRelayBoard({ ...contacts, address: 1, channels: 8 });
  const greenhouseRelays = createEsp32Board({ ...contacts, address: 6 });
  const gateRelays = createFactoryBoard(contacts);
  const field = createField({
    now: clock.now(),
    actuators: () => ({
      pump: shedRelays.isClosed(1),
      valveNorth: shedRelays.isClosed(2),
      valveSouth: shedRelays.isClosed(3),
      doser: shedRelays.isClosed(4),
      fan: greenhouseRelays.isClosed(1),
      heater: greenhouseRelays.isClosed(2),
    }),
  });
  const look = (): FieldState => {
    field.advance(clock.now());
    return field.state;
  };
  const boards = { shed: shedRelays, greenhouse: greenhouseRelays, gate: gateRelays };
  const gateways: Readonly<Record<GatewayName, Gateway>> = {
    shed: gateway("shed", "tcp", [
      shedRelays,
      createSoilProbe({ address: 2, look, moisture: ({ moistureNorth }) => moistureNorth }),
      createSoilProbe({ address: 3, look, moisture: ({ moistureSouth }) => moistureSouth }),
      createFlowMeter({ address: 5, look }),
    ]),
    greenhouse: gateway("greenhouse", "rtu", [
      createClimateSensor({ address: 1, look }),
      createSolutionProbe({ address: 4, look }),
      greenhouseRelays,
    ]),
    gate: gateway("gate", "rtu", [gateRelays]),
  };

  function gateway(name: GatewayName, framing: "tcp" | "rtu", units: readonly Unit[]): Gateway {
    return createGateway({
      name,
      framing,
      units,
      clock,
      onExchange(exchange) {
        log.add(exchange);
        waiters.check();
      },
      onChange: () => waiters.check(),
    });
  }

  function board(name: GatewayName, address: number): RelayBoard {
    const found = boards[name];
    if (found.address !== address) throw new Error(`Gateway ${name} has its relay board at unit ${found.address}.`);
    return found;
  }

  const names = Object.keys(gateways) as GatewayName[]; // the keys of a record over GatewayName
  const perGateway = (count: (gateway: Gateway) => number): Record<GatewayName, number> => ({
    shed: count(gateways.shed),
    greenhouse: count(gateways.greenhouse),
    gate: count(gateways.gate),
  });

  const farm: VirtualFarm = {
    async start(ports = {}) {
      const started: PortAddress[] = [];
      for (const name of names) started.push(await gateways[name].start(ports[name] ?? 0));
      return Object.fromEntries(names.map((name, i) => [name, started[i]])) as unknown as FarmAddresses; // one for each name
    },
    async stop() {
      waiters.fail(new Error("The farm was stopped."));
      await serial.unplugAll();
      await Promise.all(names.map((name) => gateways[name].stop()));
    },
    gateway: (name, knobs) => gateways[name].turn(knobs),
    unit: (name, address, knobs) => gateways[name].turnUnit(address, knobs),
    cut: (name) => gateways[name].cut(),
    plugSerial: (name) => serial.plug(gateways[name]),
    unplugSerial: (name) => serial.unplug(gateways[name]),
    powerCycle: (name) => boards[name].restart(),
    reset() {
      for (const name of names) gateways[name].reset();
    },
    isClosed: (name, address, channel) => board(name, address).isClosed(channel),
    get state() {
      return look();
    },
    get exchanges() {
      return log.exchanges;
    },
    get exchangesDropped() {
      return log.dropped;
    },
    get connections() {
      return perGateway(({ connections }) => connections);
    },
    get rejected() {
      return perGateway(({ rejected }) => rejected);
    },
    waitFor: (predicate, signal) => waiters.wait(() => predicate(farm), signal),
  };
  return farm;
}
