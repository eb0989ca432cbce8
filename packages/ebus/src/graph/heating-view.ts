import { deviceText, type Json } from "@steading/kernel";
import {
  c,
  defineSubject,
  p,
  type Graph,
  type Quality,
  type Source,
  type SourceContext,
  type SourceHandle,
} from "@steading/subjects";
import type { BusCounters, BusState } from "../bus/bus-events.ts";
import { isOutage } from "../bus/outage.ts";
import type { KnownDevice } from "../registry/device-book.ts";

const MOUNT = "heating";
const LONGEST = 100;

const HeatingDevice = defineSubject("steading.heating.Device", {
  description: "A device that answered on the heating bus",
  props: {
    address: p.string().description("Where it answers, two hex digits"),
    addresses: p.list(p.string()).description("Every address it was met at, ascending: as target, and as initiator"),
    manufacturer: p.string(),
    deviceId: p.string(),
    software: p.string(),
    hardware: p.string(),
    serial: p.string().nullable().default(null),
  },
  title: (device) => `${device.manufacturer} ${device.deviceId}`,
  icon: "thermostat",
});

interface Shown {
  readonly subject: ReturnType<typeof HeatingDevice.create>;
  readonly values: Readonly<Record<string, Json>>;
  /** Epoch milliseconds when it was last met. */
  readonly seenAt: number;
}

const HeatingBus = defineSubject("steading.heating.Bus", {
  description: "The eBUS that the heating devices talk on",
  props: {
    connected: p.boolean().default(false),
    signal: p.enum(["ok", "lost", "none"]).default("none"),
    sourceState: p
      .enum(["listening", "probing", "admitted", "degraded", "read_only", "daemon"])
      .default("listening")
      .description("Whether the hub has an address of its own on the bus and may ask"),
    source: p.string().nullable().default(null).description("The hub's own address, two hex digits"),
    telegrams: p.integer().cumulative().default(0).description("Telegrams heard to their end"),
    sent: p.integer().cumulative().default(0).description("Telegrams the hub has sent"),
  },
  children: { devices: c.map(() => HeatingDevice) },
  title: "Heating bus",
  icon: "heat",
});

/** Where the part shows what it knows. Called on every change. */
export interface HeatingView {
  bus(state: BusState, counters: BusCounters): void;
  /** A device that was found, one whose faces became more, or one that is met again after an outage. */
  device(device: KnownDevice): void;
}

export interface HeatingSubjects extends HeatingView {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Shows the heating bus and whoever was found on it below `/heating`. What it says is what was heard, nothing else: when
 * the link or the signal is lost, what is told of the devices turns stale, and each is good again when it is next heard.
 */
export function createHeatingSubjects(graph: Graph): HeatingSubjects {
  const bus = HeatingBus.create({ devices: {} });
  /** By the address that is its key: at most one an address of the bus. */
  const shown = new Map<number, Shown>();
  let context: SourceContext | undefined;
  let handle: SourceHandle | undefined;

  const source: Source = {
    start(given) {
      context = given;
      return Promise.resolve();
    },
    load: () => Promise.resolve([]), // whatever is known comes in by itself
    stop: () => Promise.resolve(),
  };

  function tell({ subject, values, seenAt: at }: Shown, quality: Quality): void {
    context?.write(Object.entries(values).map(([property, value]) => ({ subject, property, value, quality, at })));
  }

  return {
    async start() {
      if (handle) return;
      graph.attach("/", MOUNT, bus);
      handle = graph.addSource(MOUNT, source, { mount: `/${MOUNT}` });
      await handle.start();
    },
    async stop() {
      const stopping = handle;
      handle = undefined;
      await stopping?.stop();
    },
    bus(state, counters) {
      context?.write(
        Object.entries(busValues(state, counters)).map(([property, value]) => ({ subject: bus, property, value })),
      );
      // Told again while it lasts: what is stale already makes no change.
      if (isOutage(state)) for (const entry of shown.values()) tell(entry, "stale");
    },
    device(device) {
      const { address } = device;
      // Met at an alias first: the device moves to its own address.
      for (const alias of device.addresses) if (alias !== address) forget(alias);
      const values = deviceValues(device);
      const known = shown.get(address);
      const subject = known?.subject ?? HeatingDevice.create(values);
      if (!known) graph.attach(`/${MOUNT}/devices`, hex(address), subject);
      const entry = { subject, values, seenAt: graph.clock.now() };
      shown.set(address, entry);
      tell(entry, "good");
    },
  };

  function forget(address: number): void {
    const entry = shown.get(address);
    if (entry) graph.detach(entry.subject);
    shown.delete(address);
  }
}

function busValues(
  { connected, signal, sourceState, source }: BusState,
  { telegrams, sent }: BusCounters,
): Readonly<Record<string, Json>> {
  return { connected, signal, sourceState, source: source === undefined ? null : hex(source), telegrams, sent };
}

function deviceValues({ address, addresses, manufacturer, deviceId, software, hardware, serial }: KnownDevice) {
  return {
    address: hex(address),
    addresses: addresses.map(hex),
    manufacturer: deviceText(manufacturer, LONGEST),
    deviceId: deviceText(deviceId, LONGEST),
    software: deviceText(software, LONGEST),
    hardware: deviceText(hardware, LONGEST),
    serial: serial === undefined ? null : deviceText(serial, LONGEST),
  };
}

function hex(address: number): string {
  return address.toString(16).padStart(2, "0");
}
