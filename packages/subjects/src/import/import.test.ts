import { describe, expect, test } from "vitest";
import { state } from "../paths/path-providers.ts";
import { openGraph } from "../testing/test-graph.ts";
import type { DataSubject } from "./data-definition.ts";
import { defineFromData } from "./define-from-data.ts";
import { createFromData, discover } from "./discover.ts";
import { fromDiscoveryPayload } from "./discovery-payload.ts";
import { fromRegisterMap } from "./register-map.ts";
import { fromThingDescription } from "./thing-description.ts";
import { toThingDescription } from "./to-thing-description.ts";

const context = () => ({ signal: new AbortController().signal, log: openGraph().graph.log, services: new Map() });

describe("a register map", () => {
  const map = {
    name: "acme.modbus.Meter",
    interfaces: ["acme.Metering"],
    registers: [
      { name: "power", address: 0, type: "i16", scale: 0.1, unit: "W", sentinels: [0x8000] },
      { name: "energy", address: 2, type: "u32", unit: "kWh", cumulative: true },
      { name: "relay", address: 5, table: "coil", type: "bit", writable: true },
      { name: "alarm", address: 6, type: "u16", bit: 3 },
      { name: "mode", address: 7, type: "u16", names: { "0": "off", "1": "on" }, writable: true },
      { name: "serial", address: 10, table: "input", type: "text", length: 8, writable: true },
    ],
  } as const;

  test("becomes a type: kinds from the map, addresses as @source, read-only tables never writable", () => {
    const { graph } = openGraph();
    const data = fromRegisterMap(map);
    graph.attach("/", "meter", createFromData({ ...data, id: "m1", title: "Cellar" }));
    const info = graph.info(graph.find("/meter") ?? graph.root);
    expect(
      [...info.properties()]
        .filter(({ facets }) => facets.exposed !== false)
        .map(({ name, type, facets, isWritable }) => [name, type, facets.unit, isWritable]),
    ).toEqual([
      ["power", "number", "Watt", false],
      ["energy", "integer", "KilowattHour", false],
      ["relay", "boolean", undefined, true],
      ["alarm", "boolean", undefined, false],
      ["mode", "string", undefined, true],
      ["serial", "string", undefined, false],
    ]);
    expect(graph.get("/meter/power@source")).toEqual({
      table: "holding",
      address: 0,
      type: "i16",
      scale: 0.1,
      sentinels: [0x8000],
    });
    expect([info.title, info.interfaces, info.id]).toEqual(["Cellar", ["acme.Metering"], "m1"]);
  });

  // @proves subjects.api.structural-memo subjects.api.runtime-definitions
  test("5 000 identical meters share one type, whatever their titles and addresses of their own", () => {
    const types = new Set(Array.from({ length: 5_000 }, () => defineFromData(fromRegisterMap(map))));
    expect(types.size).toBe(1);
  });

  test("is refused when it contradicts itself", () => {
    const one = map.registers[0];
    expect(() => fromRegisterMap({ ...map, registers: [one, one] })).toThrow("two entries called power");
    expect(() => fromRegisterMap({ ...map, registers: [{ ...one, address: 70_000 }] })).toThrow("address out of range");
    expect(() => fromRegisterMap({ ...map, registers: [{ ...one, bit: 16 }] })).toThrow("bit out of range");
  });
});

describe("discovery", () => {
  const data: DataSubject = {
    id: "sensor-1",
    name: "acme.discovery.Sensor",
    properties: { t: { type: "number", unit: "°C" }, gone: { type: "number" } },
    values: { t: 20 },
  };

  // @proves subjects.mounts.idempotent
  test("the same id again is the same subject, its facets brought up to date in place", () => {
    const { graph } = openGraph();
    const first = discover(graph, "/", "sensor", data);
    const twin = discover(graph, "/", "twin", { ...data, id: "sensor-2" });
    const heard: unknown[] = [];
    first.$on("t", (value) => heard.push(value));
    const again = discover(graph, "/", "elsewhere", {
      ...data,
      title: "Hall",
      properties: {
        t: { type: "number", unit: "K", min: 0, writable: true },
        fresh: { type: "boolean", source: { topic: "x" } },
      },
      values: { t: 293, fresh: true },
    });
    expect(again).toBe(first);
    expect([
      first.$path,
      first.$info.title,
      graph.get("/sensor/t"),
      graph.get("/sensor/fresh"),
      graph.get("/sensor/fresh@source"),
    ]).toEqual(["/sensor", "Hall", 293, true, { topic: "x" }]);
    expect(first.$info.property("t")?.facets).toMatchObject({ unit: "Kelvin", min: 0, writable: true });
    expect(twin.$info.property("t")?.facets).toEqual({ unit: "DegreeCelsius" });
    expect(graph.locate("/sensor/gone", state()).kind).toBe("missing");
    expect(heard).toEqual([293]);
    expect(graph.find("/elsewhere")).toBeNull();
  });

  // @proves subjects.mounts.foreign-names
  test("a foreign key is kept as it is and escaped only in print", () => {
    const { graph, root } = openGraph();
    const sensor = discover(graph, "/", "a/b [1] %", data);
    expect([[...root.children.keys()], sensor.$path]).toEqual([["a/b [1] %"], "/a%2Fb %5B1%5D %25"]);
    expect(graph.find(sensor.$path ?? "")).toBe(sensor);
  });

  // @proves subjects.type-providers.built-in
  test("a discovery message becomes a device with typed components", () => {
    const { graph } = openGraph();
    const payload = {
      dev: { ids: ["0xa1"], name: "Barn\u0000 sensor", mf: "Acme", mdl: "T-1000" },
      cmps: {
        temperature: {
          p: "sensor",
          dev_cla: "temperature",
          unit_of_meas: "°C",
          stat_t: "barn/t",
          stat_cla: "measurement",
          exp_aft: 60,
        },
        energy: { p: "sensor", device_class: "energy", unit_of_measurement: "kWh", state_class: "total_increasing" },
        door: { p: "binary_sensor", device_class: "door", stat_t: "barn/door" },
        fan: { p: "switch", cmd_t: "barn/fan/set", stat_t: "barn/fan" },
        level: { p: "number", min: 0, max: 10, step: 0.5, cmd_t: "barn/level/set" },
        mode: { p: "select", ops: ["off", "auto"], cmd_t: "barn/mode/set" },
        rssi: { p: "sensor", ent_cat: "diagnostic", unit_of_meas: "dBm" },
        $odd: { p: "sensor" },
        identify: { p: "button", cmd_t: "barn/identify", name: "Identify" },
      },
    };
    const device = discover(graph, "/", "barn", fromDiscoveryPayload(payload));
    const shown = [...device.$info.properties()]
      .filter(({ facets }) => facets.exposed !== false)
      .map(({ name, type, isWritable, facets }) => [name, type, isWritable, facets.unit ?? facets.enum ?? null]);
    expect(shown).toEqual([
      ["temperature", "number", false, "DegreeCelsius"],
      ["energy", "number", false, "KilowattHour"],
      ["door", "boolean", false, null],
      ["fan", "boolean", true, null],
      ["level", "number", true, null],
      ["mode", "string", true, ["off", "auto"]],
      ["rssi", "number", false, "custom:dBm"],
      ["_odd", "string", false, null],
    ]);
    expect([device.$id, device.$info.title, device.$type]).toEqual([
      "0xa1",
      "Barn sensor",
      "homeassistant.devices.Acme.T-1000",
    ]);
    expect(device.$info.property("energy")?.facets.cumulative).toBe(true);
    expect(device.$info.property("door")?.facets.discrete).toBe(true);
    expect(device.$info.property("temperature")?.facets.maxAgeMs).toBe(60_000);
    expect([...device.$info.methods()].map(({ name, kind }) => [name, kind])).toEqual([["identify", "operation"]]);
    expect(graph.registry.byInterface("homeassistant.sensor.temperature")).toEqual([device]);
    expect(graph.registry.types().find(({ name }) => name === "homeassistant.binary_sensor.door")?.isInterface).toBe(
      true,
    );
    for (const broken of [null, {}, { dev: { ids: [] }, cmps: {} }, { dev: { ids: ["x"] } }])
      expect(() => fromDiscoveryPayload(broken)).toThrow("discovery message");
  });
});

describe("a Thing Description", () => {
  const td = {
    "@context": "https://www.w3.org/2022/wot/td/v1.1",
    id: "urn:dev:ops:32473-WoTLamp-1234",
    title: "MyLampThing",
    description: "A lamp\nin the hall",
    "@type": ["saref:LightSwitch", "https://example.org/ns#Dimmable"],
    properties: {
      status: { type: "string", readOnly: true, forms: [{ href: "https://lamp/status" }] },
      brightness: {
        type: "integer",
        minimum: 0,
        maximum: 100,
        multipleOf: 5,
        unit: "%",
        title: "Brightness",
        forms: [{ href: "https://lamp/b" }],
      },
      color: { type: "string", enum: ["warm", "cold"], forms: [] },
      password: { type: "string", writeOnly: true, forms: [{ href: "https://lamp/pw" }] },
      since: { type: "string", format: "date-time", readOnly: true, forms: [] },
      "odd@name": { type: "object", forms: [] },
    },
    actions: {
      toggle: { forms: [{ href: "https://lamp/toggle" }] },
      fade: {
        input: { type: "object", properties: { to: { type: "integer", maximum: 100 } }, required: ["to"] },
        forms: [],
      },
      measure: { safe: true, output: { type: "number" }, forms: [] },
      beep: { input: { type: "integer" }, forms: [] },
    },
  };

  // @proves subjects.td.identity
  test("gives its id, title, description and types", () => {
    const { graph } = openGraph();
    const lamp = createFromData(fromThingDescription(td));
    graph.attach("/", "lamp", lamp);
    expect([lamp.$id, lamp.$info.title, lamp.$get("thingDescription"), lamp.$info.interfaces]).toEqual([
      td.id,
      "MyLampThing",
      "A lamp in the hall",
      ["wot.saref.LightSwitch", "wot.ns.Dimmable"],
    ]);
    expect(graph.registry.byInterface("wot.saref.LightSwitch")).toEqual([lamp]);
  });

  // @proves subjects.td.properties subjects.td.forms
  test("its properties become properties, with their forms as @source", async () => {
    const { graph } = openGraph();
    const lamp = createFromData(fromThingDescription(td));
    graph.attach("/", "lamp", lamp);
    const info = (name: string) => lamp.$info.property(name);
    expect([info("status")?.isWritable, info("brightness")?.isWritable, info("since")?.format]).toEqual([
      false,
      true,
      "date-time",
    ]);
    expect(info("brightness")?.facets).toMatchObject({
      min: 0,
      max: 100,
      step: 5,
      unit: "Percent",
      title: "Brightness",
    });
    expect(info("color")?.facets.enum).toEqual(["warm", "cold"]);
    expect([info("password")?.value, info("password")?.isWritable, info("password")?.facets.role]).toEqual([
      null,
      true,
      "config",
    ]);
    expect(graph.locate("/lamp/password", state()).kind).toBe("missing");
    expect(info("odd_at_name")?.type).toBe("object");
    expect(graph.get("/lamp/status@source")).toEqual({ forms: [{ href: "https://lamp/status" }] });
    await expect(graph.set("/lamp/brightness", 42)).rejects.toMatchObject({ code: "OUT_OF_RANGE" });
    await expect(graph.set("/lamp/brightness", "45")).resolves.toMatchObject({ value: 45 });
  });

  // @proves subjects.td.actions
  test("its actions become operations, safe ones queries, with their inputs", async () => {
    const calls: unknown[] = [];
    const lamp = createFromData(fromThingDescription(td, { invoke: (name, args) => void calls.push([name, args]) }));
    const kinds = [...lamp.$info.methods()].map(({ name, kind }) => [name, kind]);
    expect(kinds).toEqual([
      ["toggle", "operation"],
      ["fade", "operation"],
      ["measure", "query"],
      ["beep", "operation"],
    ]);
    const fade = lamp.$info.method("fade");
    expect(await fade?.input?.["~standard"].validate({ to: 500 })).toHaveProperty("issues");
    expect(await lamp.$info.method("beep")?.input?.["~standard"].validate({ value: 3 })).toEqual({
      value: { value: 3 },
    });
    fade?.invoke({ to: 5 }, context());
    expect(calls).toEqual([["fade", { to: 5 }]]);
    const unbound = createFromData(fromThingDescription({ ...td, id: "urn:other" }));
    expect(() => unbound.$info.method("toggle")?.invoke({}, context())).toThrow("nothing is bound");
    expect(unbound.$type).toBe(lamp.$type);
  });

  test("two descriptions of one model share a type", () => {
    const types = ["urn:a", "urn:b"].map((id) =>
      defineFromData(
        fromThingDescription({
          ...td,
          id,
          properties: { ...td.properties, status: { ...td.properties.status, forms: [{ href: id }] } },
        }),
      ),
    );
    expect(types[0]).toBe(types[1]);
  });

  test("rubbish is refused with a sentence", () => {
    for (const wrong of [
      null,
      [],
      "x",
      {},
      { id: "x", properties: [] },
      { id: "x", properties: { a: 1 } },
      { id: "x", properties: { a: {} }, actions: { a: {} } },
    ])
      expect(() => fromThingDescription(wrong)).toThrow("The Thing Description");
  });

  test("is exported with what a provider exposes, and reads back", () => {
    const { graph } = openGraph();
    const lamp = createFromData(fromThingDescription(td));
    graph.attach("/", "lamp", lamp);
    const exported = toThingDescription(graph, lamp, { provider: state(), base: "http://hub" });
    expect(exported).toMatchObject({
      id: td.id,
      title: "MyLampThing",
      properties: {
        status: { type: "string", readOnly: true, forms: [{ href: "http://hub/lamp/status", op: ["readproperty"] }] },
        brightness: { type: "integer", minimum: 0, maximum: 100, multipleOf: 5, unit: "%", readOnly: false },
      },
      actions: { measure: { safe: true }, toggle: { safe: false } },
    });
    expect(JSON.stringify(exported)).not.toContain("password");
    const again = fromThingDescription(exported);
    expect(again.properties["brightness"]).toMatchObject({
      type: "integer",
      min: 0,
      max: 100,
      step: 5,
      writable: true,
    });
    expect(toThingDescription(graph, graph.root, { provider: state() })).toMatchObject({
      links: [{ rel: "collection", href: "/lamp" }],
    });
  });
});
