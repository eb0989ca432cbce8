import {
  millis,
  seconds,
  SteadingError,
  type Cancel,
  type Clock,
  type Log,
  type Received,
  type Reception,
} from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Priority } from "../modbus/bus-queue.ts";
import type { Bus, BusCounters } from "../modbus/bus.ts";
import { gatewayKey, type GatewayAddress } from "../modbus/gateway-address.ts";
import { createPoller, type Cycle, type Poller } from "../modbus/poller.ts";
import { createTcpDial } from "../modbus/tcp-dial.ts";
import type { Dial } from "../modbus/wire.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import { statusOf } from "./equipment-state.ts";
import type { FarmEvents } from "./farm-events.ts";
import { createGateways, type Gateways } from "./gateways.ts";
import { isPolled } from "./polled-metrics.ts";
import type { Readings } from "./readings.ts";
import type { Equipment } from "./rows.ts";

export interface FieldCounters {
  readonly gateways: Readonly<Record<string, BusCounters>>;
  readonly polling: ReturnType<Poller["counters"]>;
}

/** The buses, and everything that is asked on them. */
export interface Field extends Pick<Gateways, "reach" | "disconnect"> {
  start(): void;
  stop(): Promise<void>;
  /** Undefined for equipment that has no bus. */
  busOf(equipment: Equipment): Bus | undefined;
  /** Works the status out again. */
  review(equipment: Equipment): void;
  /** Reads one coil, tells everybody, and returns it as received. */
  readChannel(
    equipment: Equipment,
    channel: number,
    options: { priority: Priority; signal?: AbortSignal },
  ): Promise<Received<boolean>>;
  /** Reads coils that stand side by side, tells everybody, and returns them as received. */
  readChannels(
    equipment: Equipment,
    span: { readonly from: number; readonly count: number },
    options: { priority: Priority; signal?: AbortSignal },
  ): Promise<Received<boolean[]>>;
  /** What was sent to a board that never answers. */
  assume(equipment: Equipment, channel: number, on: boolean): void;
  /** Waits until the next ON of this board is due: two motors that start at once trip the fuse. */
  stagger(id: number, signal: AbortSignal): Promise<void>;
  pollNow(id: number): Promise<Cycle> | undefined;
  setPolling(on: boolean): void;
  polling(): boolean;
  /** It was heard of by another way than polling. */
  heard(equipment: Equipment): void;
  /** Each gateway, and whether it is connected. */
  gateways(): Readonly<Record<string, boolean>>;
  counters(): FieldCounters;
}

export interface FieldDeps {
  readonly book: EquipmentBook;
  readonly readings: Readings;
  readonly events: FarmEvents;
  readonly clock: Clock;
  readonly reception: Reception;
  readonly log: Log;
  /** How a gateway is reached. Default: TCP. */
  readonly dial?: ((address: GatewayAddress) => Dial) | undefined;
  readonly timeoutMs?: number | undefined;
}

/** How often equipment that nobody hears of is looked at. */
const SWEEP = seconds(5);
/** Between two ONs of one board. */
const STAGGER = millis(200);

export function createField(deps: FieldDeps): Field {
  const { book, readings, events, clock, reception, log, dial = createTcpDial, timeoutMs } = deps;
  const gateways = createGateways({ dial, clock, timeoutMs, inUse: () => book.list() });
  const { busOf, reach, disconnect } = gateways;
  /** When the last ON of a board went out, or will. */
  const lastOns = new Map<number, number>();
  /** What the poller was last told about each device. */
  const asPolled = new Map<number, string>();
  let poller: Poller | undefined;
  let cancelSweep: Cancel = () => {};
  let forget: Cancel | undefined;

  /** Status is worked out from what is known; a change of it is news. */
  function judge(equipment: Equipment): void {
    const state = book.state(equipment.id);
    const gatewayAccepts = busOf(equipment)?.connected() ?? false;
    const status = statusOf(equipment, state, { now: clock.now(), gatewayAccepts });
    if (status === state.status) return;
    state.status = status;
    if (status === "offline") {
      for (const [name, metric] of state.metrics) state.metrics.set(name, { ...metric, quality: "stale" });
      // Nobody knows what a board does that is not heard of any more.
      for (const [channel, known] of state.channels) {
        state.channels.set(channel, { ...known, on: null, was: known.on ?? known.was ?? null });
      }
    }
    events.emit({ kind: "equipment", change: "status", id: equipment.id });
  }

  function heard(equipment: Equipment): void {
    const state = book.state(equipment.id);
    state.failures = 0;
    state.lastCommunication = clock.now();
    state.errorLog = null;
    judge(equipment);
  }

  function failed(equipment: Equipment, error: unknown): void {
    const state = book.state(equipment.id);
    state.failures += 1;
    state.errorLog = error instanceof SteadingError ? error.message : "The poll failed.";
    if (!(error instanceof SteadingError)) log.error("A poll failed.", error, { equipment: equipment.id });
    judge(equipment);
  }

  function seeChannels(equipment: Equipment, states: ReadonlyMap<number, boolean>, at: number): void {
    const { channels } = book.state(equipment.id);
    const changed: Record<string, boolean> = {};
    for (const [channel, on] of states) {
      if (channels.get(channel)?.on !== on) changed[String(channel)] = on;
      channels.set(channel, { on, confirmedAt: at, at });
    }
    if (Object.keys(changed).length === 0) return;
    events.emit({ kind: "relay", id: equipment.id, data: { equipmentId: equipment.id, relayStates: changed } });
  }

  function onCycle(cycle: Cycle): void {
    const equipment = book.find(cycle.id);
    if (!equipment) return;
    if (!cycle.ok) return failed(equipment, cycle.error);
    heard(equipment);
    const coils = cycle.readings.flatMap(({ metric, value }) =>
      metric.isChannel && value !== undefined ? [[metric.address, value === 1] as const] : [],
    );
    seeChannels(equipment, new Map(coils), cycle.at);
    readings.polled(equipment, cycle.at, cycle.readings);
  }

  /** Takes the equipment as it is configured at this moment. */
  function refresh(id: number): void {
    const equipment = book.find(id);
    const bus = equipment && busOf(equipment);
    const metrics = equipment ? book.metrics(equipment).filter((metric) => isPolled(equipment, metric)) : [];
    if (equipment) judge(equipment);
    if (!poller || !equipment?.enabled || equipment.write_only || !bus || metrics.length === 0) {
      poller?.remove(id);
      asPolled.delete(id);
      return;
    }
    const { slave_id, polling_interval_ms, calibration_offset, calibration_scale, address, transport } = equipment;
    const calibration = { offset: calibration_offset, scale: calibration_scale };
    const unit = slave_id ?? 1;
    // Another name or zone changes nothing on the wire, and must not cost the device its turn or its learnt blocks.
    const signature = JSON.stringify([address, transport, unit, polling_interval_ms, calibration, metrics]);
    if (asPolled.get(id) === signature) return;
    asPolled.set(id, signature);
    const interval = millis(polling_interval_ms);
    poller.set({
      id,
      bus,
      busKey: `${transport} ${gatewayKey(address ?? "") ?? address}`,
      unit,
      interval,
      metrics,
      calibration,
    });
  }

  function sweep(): void {
    for (const equipment of book.list()) judge(equipment);
    gateways.closeUnused();
    cancelSweep = clock.timer(SWEEP, sweep);
  }

  function setPolling(on: boolean): void {
    if (on === (poller !== undefined)) return;
    if (!on) {
      void poller?.stop();
      poller = undefined;
      return;
    }
    asPolled.clear();
    poller = createPoller({ clock, onCycle });
    for (const { id } of book.list()) refresh(id);
  }

  return {
    start() {
      if (forget) return;
      forget = events.on((event) => {
        if (event.kind !== "equipment" || event.change === "status") return;
        refresh(event.id);
        gateways.closeUnused();
      });
      setPolling(true);
      cancelSweep = clock.timer(SWEEP, sweep);
    },
    async stop() {
      forget?.();
      forget = undefined;
      cancelSweep();
      const stopping = poller?.stop();
      poller = undefined;
      gateways.close();
      await stopping;
    },
    busOf,
    reach,
    disconnect,
    review: judge,
    async readChannels(equipment, { from, count }, { priority, signal }) {
      const bus = busOf(equipment);
      if (!bus) throw farmError("NOT_SWITCHABLE", `Equipment ${equipment.id} has no bus.`);
      const unit = equipment.slave_id ?? 1;
      const reply = await bus.ask({ kind: "read", unit, fc: 1, address: from, quantity: count }, { priority, signal });
      const arrival = reception.received(reply.kind === "bits" ? [...reply.bits] : []);
      heard(equipment);
      seeChannels(equipment, new Map(arrival.value.map((on, i) => [from + i, on])), arrival.at);
      return arrival;
    },
    async readChannel(equipment, channel, { priority, signal }) {
      const bus = busOf(equipment);
      if (!bus) throw farmError("NOT_SWITCHABLE", `Equipment ${equipment.id} has no bus.`);
      const unit = equipment.slave_id ?? 1;
      const reply = await bus.ask({ kind: "read", unit, fc: 1, address: channel, quantity: 1 }, { priority, signal });
      const arrival = reception.received(reply.kind === "bits" && reply.bits[0] === true);
      heard(equipment);
      seeChannels(equipment, new Map([[channel, arrival.value]]), arrival.at);
      return arrival;
    },
    assume(equipment, channel, on) {
      book.state(equipment.id).channels.set(channel, { on, confirmedAt: null, at: clock.now() });
      judge(equipment);
    },
    async stagger(id, signal) {
      const present = clock.monotonic();
      const due = Math.max(present, (lastOns.get(id) ?? -Infinity) + STAGGER);
      lastOns.set(id, due);
      if (due > present) await clock.sleep(millis(due - present), signal);
    },
    pollNow: (id) => poller?.pollNow(id),
    setPolling,
    polling: () => poller !== undefined,
    heard,
    gateways: () => gateways.connected(),
    counters: () => ({
      gateways: gateways.counters(),
      polling: poller?.counters() ?? { devices: 0, cycles: 0, failures: 0, skipped: 0 },
    }),
  };
}
