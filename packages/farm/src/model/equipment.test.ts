import { createManualClock, millis, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { parseSerialAddress } from "../modbus/serial-address.ts";
import { createMemoryDial } from "../testing/memory-wire.ts";
import { createTrialFarm } from "../testing/trial-farm.ts";
import { EquipmentChange, NewEquipment } from "./equipment-input.ts";
import { createEquipmentState, statusOf } from "./equipment-state.ts";
import { metricPath } from "./farm-history.ts";
import { parseInstant } from "./instant.ts";

const by = "anna";

/** A device on Modbus TCP that answers every read with the same word, unless it is dead. */
function device(word = 276) {
  const clock = createManualClock();
  const knobs = { dead: false, word };
  const asked: number[] = [];
  const net = createMemoryDial({
    onWrite(bytes, far) {
      asked.push(bytes.readUInt16BE(8));
      if (knobs.dead) return;
      const [unit = 0, fc = 0] = bytes.subarray(6);
      const quantity = bytes.readUInt16BE(10);
      const data = fc <= 2 ? Buffer.alloc(Math.ceil(quantity / 8), 0xff) : Buffer.alloc(quantity * 2);
      if (fc > 2) for (let i = 0; i < quantity; i += 1) data.writeUInt16BE(knobs.word, i * 2);
      const body = Buffer.concat([Buffer.of(unit, fc, data.length), data]);
      far.send(Buffer.concat([bytes.subarray(0, 4), Buffer.of(0, body.length), body]));
    },
  });
  const farm = createTrialFarm({ clock, dial: () => net.dial });
  return { clock, knobs, asked, farm, net };
}

const thermometer: NewEquipment = {
  name: "Thermometer",
  address: "10.0.0.1:502",
  register_mappings: [{ name: "temperature", register: 1, type: "input", scale: 0.1, unit: "C", alarmHigh: 30 }],
};

// @proves farm.equipment.fields farm.equipment.transport
test("equipment has the listed defaults", async () => {
  const { farm } = device();
  expect(await farm.core.book.create({ name: "Probe" }, by)).toMatchObject({
    name: "Probe",
    type: "sensor",
    protocol: "modbus",
    address: null,
    transport: "tcp",
    slave_id: null,
    polling_interval_ms: 1_000,
    register_mappings: [],
    write_only: false,
    enabled: true,
    calibration_offset: 0,
    calibration_scale: 1,
  });
});

// @proves farm.equipment.name-required farm.equipment.protocol-enum farm.equipment.slave-id farm.equipment.polling-interval
test.each([
  ["no name", {}],
  ["an empty name", { name: " " }],
  ["a protocol outside the five", { name: "x", protocol: "knx" }],
  ["unit 0", { name: "x", slave_id: 0 }],
  ["unit 248", { name: "x", slave_id: 248 }],
  ["an interval of 99 ms", { name: "x", polling_interval_ms: 99 }],
  ["an interval of 60001 ms", { name: "x", polling_interval_ms: 60_001 }],
  ["mappings that are no JSON", { name: "x", register_mappings: "[{" }],
  [
    "two metrics of one name",
    {
      name: "x",
      register_mappings: [
        { name: "a", register: 1 },
        { name: "a", register: 2 },
      ],
    },
  ],
])("%s is refused", (_what, input) => {
  expect(NewEquipment.safeParse(input).success).toBe(false);
});

test("mappings come as a list or as JSON text, booleans also as 0 and 1", () => {
  const mappings = [{ name: "a", register: "7" }];
  const parsed = EquipmentChange.parse({ register_mappings: JSON.stringify(mappings), enabled: 0, write_only: true });
  expect(parsed).toEqual({ register_mappings: [{ name: "a", register: 7 }], enabled: false, write_only: true });
});

test("what is nested deeper than anybody writes by hand is refused, as itself and as JSON text", () => {
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  for (const levels of [40, 8_000]) {
    for (const safety of [deep(levels), JSON.parse(deep(levels)) as unknown]) {
      expect(NewEquipment.safeParse({ name: "x", safety }).success).toBe(false);
    }
  }
  expect(NewEquipment.safeParse({ name: "x", safety: deep(8) }).success).toBe(true);
});

// @proves farm.equipment.address-forms
test("an address is host and port, a bracketed IPv6 address or a bare host", async () => {
  const { farm } = device();
  for (const address of ["10.0.0.9:502", "[fe80::1]:503", "[::1]", "gateway.lan"]) {
    await farm.core.book.create({ name: address, address }, by);
  }
  for (const address of ["10.0.0.9:0", "10.0.0.9:70000", "a:b:c", "fe80::1", "http://x", "-x"]) {
    await expect(farm.core.book.create({ name: "x", address }, by)).rejects.toMatchObject({ code: "BAD_INPUT" });
  }
});

test("one gateway has one connection and one owner, however equipment spells it", async () => {
  const { clock, farm, net } = device();
  await farm.start();
  const { book, direct, field } = farm.core;
  for (const [i, address] of [
    "127.0.0.1",
    "localhost:502",
    "127.1:0502",
    "0x7f000001",
    "[::ffff:127.0.0.1]",
  ].entries()) {
    await book.create({ ...thermometer, name: `t${i}`, address, slave_id: i + 1 }, by);
  }
  await clock.advance(seconds(5));
  expect(net.ends).toHaveLength(1);
  expect(field.gateways()).toEqual({ "tcp://127.0.0.1:502": true });
  for (const unitId of [1, 2, 3, 4, 5, 0]) {
    const place = { host: "127.0.0.1", port: 502, unitId, transport: "tcp" } as const;
    const write = { kind: "write-coil", unit: unitId, address: 0, on: true } as const;
    await expect(direct.write(place, write, { force: false, perform: farm.perform })).rejects.toMatchObject({
      code: "UNIT_IS_REGISTERED",
    });
  }
  await farm.stop();
});

test("a serial line is a device with its settings, and one that is not there is a gateway that is down", async () => {
  expect(parseSerialAddress("/dev/ttyUSB0")).toEqual({
    path: "/dev/ttyUSB0",
    baudRate: 9_600,
    dataBits: 8,
    parity: "none",
    stopBits: 1,
  });
  expect(parseSerialAddress("COM3@19200:7E2")).toMatchObject({
    baudRate: 19_200,
    dataBits: 7,
    parity: "even",
    stopBits: 2,
  });
  for (const text of ["ttyUSB0", "/dev/../etc/passwd", "/dev/ttyS0@fast", "10.0.0.1:502"]) {
    expect(parseSerialAddress(text)).toBeUndefined();
  }
  const { farm } = device();
  const serial = { ...thermometer, transport: "rtu" } as const;
  await expect(farm.core.book.create(serial, by)).rejects.toMatchObject({ code: "BAD_INPUT" });
  const board = await farm.core.book.create({ ...serial, address: "/dev/steading-has-no-such-line" }, by);
  await expect(farm.core.field.readChannel(board, 0, { priority: "command" })).rejects.toMatchObject({
    code: "GATEWAY_DOWN",
  });
});

// @proves farm.reading.row-per-metric farm.reading.rounded farm.mapping.unit farm.equipment.last-communication farm.status.online
test("a poll is one row per metric, rounded, with its unit, and makes equipment online", async () => {
  const { clock, farm } = device();
  await farm.start();
  const { id } = await farm.core.book.create(thermometer, by);
  await clock.advance(millis(10));
  const state = farm.core.book.state(id);
  expect(state.metrics.get("temperature")).toMatchObject({ value: 27.6, unit: "C", quality: "good" });
  expect(state.status).toBe("online");
  expect(state.lastCommunication).toBe(farm.history.latest(metricPath(id, "temperature"))?.at);
  await clock.advance(seconds(3));
  const rows = await farm.history.range({ path: metricPath(id, "temperature"), from: 0, to: Infinity });
  expect(rows.readings.map(({ value }) => value)).toEqual([27.6, 27.6, 27.6, 27.6]); // the same value is a row again
  await farm.stop();
});

// @proves farm.status.warning-error farm.status.offline farm.status.disabled farm.equipment.disabled-not-polled
test("failures make it warning, then error, then offline; disabling makes it disabled and quiet", async () => {
  const { clock, knobs, asked, farm } = device();
  const seen: string[] = [];
  farm.core.events.on((event) => {
    if (event.kind === "equipment" && event.change === "status") seen.push(farm.core.book.state(event.id).status);
  });
  await farm.start();
  const { id } = await farm.core.book.create(thermometer, by);
  await clock.advance(seconds(2));
  knobs.dead = true;
  await clock.advance(seconds(120));
  expect(seen).toEqual(["online", "warning", "error", "offline"]);
  expect(farm.core.book.state(id).metrics.get("temperature")).toMatchObject({ quality: "stale" });
  await farm.core.book.update(id, { enabled: false }, by);
  const before = asked.length;
  await clock.advance(seconds(120));
  expect(farm.core.book.state(id).status).toBe("disabled");
  expect(asked).toHaveLength(before);
  await farm.stop();
});

// @proves farm.status.write-only farm.equipment.write-only
test("a write-only board is not polled, and online only while its gateway accepts data", async () => {
  const { clock, asked, farm } = device();
  await farm.start();
  const board = await farm.core.book.create({ ...thermometer, write_only: true }, by);
  await clock.advance(seconds(60));
  expect(asked).toEqual([]);
  expect(farm.core.book.state(board.id).status).toBe("offline");
  expect(statusOf(board, createEquipmentState(0), { now: 0, gatewayAccepts: true })).toBe("online");
  await farm.stop();
});

// @proves farm.mapping.coils-and-registers farm.equipment.last-reading-both farm.mapping.disabled
test("coils and registers of one device do not disturb each other, and a disabled mapping is not asked for", async () => {
  const { clock, asked, farm } = device();
  await farm.start();
  const { id } = await farm.core.book.create(
    {
      ...thermometer,
      register_mappings: [
        { name: "pump", register: 3, type: "coil", access: "readwrite" },
        { name: "temperature", register: 1, type: "input" },
        { name: "hidden", register: 50, type: "input", enabled: false },
      ],
    },
    by,
  );
  await clock.advance(millis(10));
  const state = farm.core.book.state(id);
  expect(state.channels.get(3)).toMatchObject({ on: true });
  expect(state.metrics.get("temperature")).toMatchObject({ value: 276 });
  expect([...state.metrics.keys()]).toEqual(["temperature"]);
  expect(asked).not.toContain(50);
  await farm.stop();
});

// @proves farm.board.config-not-polled farm.board.pseudo-coil-not-read
test("configuration registers and pseudo coils of a relay board are never read", async () => {
  const { clock, asked, farm } = device();
  await farm.start();
  await farm.core.book.create(
    {
      name: "Board",
      type: "relay",
      address: "10.0.0.1",
      register_mappings: [
        { name: "r1", register: 0, type: "coil", access: "readwrite" },
        { name: "all", register: 255, type: "coil", access: "readwrite" },
        { name: "baud", register: 8_192 },
        { name: "unit", register: 16_384 },
        { name: "version", register: 32_768 },
      ],
    },
    by,
  );
  await clock.advance(seconds(3));
  expect(new Set(asked)).toEqual(new Set([0, 32_768]));
  await farm.stop();
});

test("a reading beyond its limit raises an alert, which clears when it comes back", async () => {
  const { clock, knobs, farm } = device(310);
  await farm.start();
  const { id } = await farm.core.book.create(thermometer, by);
  await clock.advance(seconds(3));
  const [alert] = farm.core.alerts.list();
  expect(alert).toMatchObject({ severity: "warning", equipment_id: id, source: "threshold", cleared_at: null });
  expect(alert?.count).toBeGreaterThan(1);
  expect(farm.core.alerts.list()).toHaveLength(1);
  knobs.word = 250;
  await clock.advance(seconds(1));
  expect(farm.core.alerts.list()[0]?.cleared_at).not.toBeNull();
  await farm.stop();
});

// @proves farm.equipment-api.delete-while-on
test("equipment with a channel on is not deleted unless it is forced", async () => {
  const { clock, farm } = device();
  await farm.start();
  const mapping = { name: "pump", register: 0, type: "coil", access: "readwrite" } as const;
  const { id } = await farm.core.book.create({ name: "Board", address: "10.0.0.1", register_mappings: [mapping] }, by);
  await clock.advance(millis(10));
  await expect(farm.core.book.remove(id, { force: false, by })).rejects.toMatchObject({ code: "CHANNEL_IS_ON" });
  await farm.core.book.remove(id, { force: true, by });
  expect(farm.graph.find(`/farm/equipment/${id}`)).toBeNull();
  await farm.stop();
});

test("after a restart the last readings come from the history and are told as stale", async () => {
  const { clock, farm } = device();
  await farm.start();
  const { id } = await farm.core.book.create(thermometer, by);
  await clock.advance(millis(10));
  await farm.stop();
  const again = createTrialFarm({ clock, ledger: farm.ledger, history: farm.history });
  expect(again.core.book.state(id).metrics.get("temperature")).toMatchObject({ value: 27.6, quality: "stale" });
});

// @proves farm.mapping.label-empty farm.equipment-api.labels-toggles
test("labels and toggles by register change the mappings, and an empty label goes", async () => {
  const { farm } = device();
  const { book } = farm.core;
  const { id } = await book.create(thermometer, by);
  await book.label(id, { 1: "Air" }, by);
  expect(book.get(id).register_mappings[0]).toMatchObject({ label: "Air" });
  await book.label(id, { 1: "" }, by);
  expect(book.get(id).register_mappings[0]).not.toHaveProperty("label");
  await book.toggle(id, { 1: false }, by);
  expect(book.metrics(book.get(id))[0]?.enabled).toBe(false);
  await expect(book.label(id, { 9: "x" }, by)).rejects.toMatchObject({ code: "BAD_INPUT" });
});

// @proves farm.model.times-accepted
test.each([
  ["2026-03-01 12:00:00", "2026-03-01T12:00:00.000Z"],
  ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00.000Z"],
  ["2026-03-01T12:00:00.250+04:00", "2026-03-01T08:00:00.250Z"],
  ["2026-03-01T12:00-0330", "2026-03-01T15:30:00.000Z"],
  ["2026-03-01", "2026-03-01T00:00:00.000Z"],
])("%s is an instant", (text, iso) => {
  expect(new Date(parseInstant(text) ?? Number.NaN).toISOString()).toBe(iso);
});

test.each(["yesterday", "2026-02-30", "12", "", "2026-13-01", "1772366400"])("%s is none", (text) => {
  expect(parseInstant(text)).toBeUndefined();
});

test("a device has a thousand metrics at most, whatever names somebody posts", async () => {
  const { farm } = device();
  const equipment = await farm.core.book.create({ name: "Probe" }, by);
  const named = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `m${from + i}`, value: 1, unit: undefined, at: 1_000 + i }));
  await farm.core.readings.posted(equipment, named(0, 1_000));
  await expect(farm.core.readings.posted(equipment, named(1_000, 1))).rejects.toMatchObject({ code: "BAD_INPUT" });
  await farm.core.readings.posted(equipment, named(0, 1_000));
  expect(farm.core.book.state(equipment.id).metrics.size).toBe(1_000);
});

// @proves farm.schedule.many-gateways
test("seventy gateways are polled side by side, each over its own connection", async () => {
  const { clock, farm, net } = device();
  await farm.start();
  const ids: number[] = [];
  for (let n = 1; n <= 70; n += 1) {
    ids.push((await farm.core.book.create({ ...thermometer, address: `10.0.1.${n}:502` }, by)).id);
  }
  await clock.advance(seconds(1));
  expect(ids.filter((id) => farm.core.book.state(id).status !== "online")).toEqual([]);
  expect(Object.values(farm.core.field.gateways()).filter(Boolean)).toHaveLength(70);
  expect(net.ends).toHaveLength(70);
  await farm.stop();
});

// @proves farm.data.broadcast-equals-stored
test("what is told is what is kept and shown: the calibrated number, polled or posted", async () => {
  const { clock, farm } = device(276);
  const told: number[] = [];
  farm.core.events.on((event) => {
    if (event.kind === "reading") told.push(...event.readings.map(({ value }) => value));
  });
  await farm.start();
  const made = await farm.core.book.create(thermometer, by);
  const equipment = await farm.core.book.calibrate(made.id, { offset: 0.123_4, scale: 1.5 }, by);
  await clock.advance(millis(1_500));
  const last = () => farm.history.latest(metricPath(equipment.id, "temperature"))?.value;
  const shown = () => farm.core.book.state(equipment.id).metrics.get("temperature")?.value;
  expect([told.at(-1), last(), shown()]).toEqual([41.523, 41.523, 41.523]);
  await farm.core.readings.posted(equipment, [{ name: "temperature", value: 3.141_59, unit: "C", at: clock.now() }]);
  expect([told.at(-1), last(), shown()]).toEqual([3.142, 3.142, 3.142]);
  await farm.stop();
});
