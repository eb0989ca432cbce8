import { deviceText } from "@steading/kernel";
import type { HeatingView, KnownDevice } from "@steading/ebus";
import { c, defineSubject, p, type Graph } from "@steading/subjects";

const MOUNT = "heating";
const LONGEST = 100;

const HeatingDevice = defineSubject("steading.heating.Device", {
  description: "A device that answered on the heating bus",
  props: {
    address: p.string().description("Where it answers, two hex digits"),
    manufacturer: p.string(),
    deviceId: p.string(),
    software: p.string(),
    hardware: p.string(),
    serial: p.string().nullable().default(null),
  },
  title: (device) => `${device.manufacturer} ${device.deviceId}`,
  icon: "thermostat",
});

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

/** Shows the heating bus and whoever was found on it below `/heating`. What it says is what was heard, nothing else. */
export function mountHeating(graph: Graph): HeatingView {
  const bus = HeatingBus.create({ devices: {} });
  graph.attach("/", MOUNT, bus);
  return {
    bus({ connected, signal, sourceState, source }, { telegrams, sent }) {
      graph.batch(() => {
        bus.$set("connected", connected);
        bus.$set("signal", signal);
        bus.$set("sourceState", sourceState);
        bus.$set("source", source === undefined ? null : hex(source));
        bus.$set("telegrams", telegrams);
        bus.$set("sent", sent);
      });
    },
    device(device) {
      const key = hex(device.address);
      const known = graph.find(`/${MOUNT}/devices[${key}]`);
      if (known) return;
      graph.attach(`/${MOUNT}/devices`, key, toSubject(device));
    },
  };
}

function toSubject({ address, manufacturer, deviceId, software, hardware, serial }: KnownDevice) {
  return HeatingDevice.create({
    address: hex(address),
    manufacturer: deviceText(manufacturer, LONGEST),
    deviceId: deviceText(deviceId, LONGEST),
    software: deviceText(software, LONGEST),
    hardware: deviceText(hardware, LONGEST),
    serial: serial === undefined ? null : deviceText(serial, LONGEST),
  });
}

function hex(address: number): string {
  return address.toString(16).padStart(2, "0");
}
