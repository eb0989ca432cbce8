import { describe, expect, test } from "vitest";
import * as z from "zod";
import { c } from "../define/c.ts";
import { defineInterface } from "../define/define-interface.ts";
import { defineSubject } from "../define/define-subject.ts";
import { m } from "../define/m.ts";
import { p } from "../define/p.ts";
import { at, callTool, errorOf } from "./testing/call-tool.ts";
import { Fan, Farm, openFarm, Stall } from "./testing/farm.ts";
import { openRoot } from "./testing/open-root.ts";

const keysOf = (value: unknown): string[] => Object.keys(value as object);

describe("the shape of a query's answer", () => {
  // @proves subjects.query.defaults
  test("without parameters: the root, depth 1, no values, with methods and interfaces", async () => {
    const { tools, root } = openFarm();
    root.$children("more").set("fan", Fan.create({ speed: 1 }));
    const answer = await callTool(tools, "query");
    expect(answer).toMatchObject({ path: "/", subjectCount: 2, truncated: false });
    expect(at(answer, "subjects", "fan")).toEqual({
      $type: "Fan",
      $fullType: "farm.Fan",
      $interfaces: ["farm.drives.Motor"],
      $methods: ["turn"],
      $hasChildren: false,
    });
    expect(at(answer, "subjects", "barn", "climate")).toBeUndefined();
  });

  // @proves subjects.query.type-names
  test("$type is the last part of the name, $fullType the whole, $interfaces are whole names", async () => {
    const answer = await callTool(openFarm().tools, "query", { path: "/barn/climate", depth: 0 });
    expect(answer["subject"]).toMatchObject({
      $type: "ClimateUnit",
      $fullType: "farm.ClimateUnit",
      $interfaces: ["steading.sensors.TemperatureSensor"],
    });
  });

  // @proves subjects.query.omit-empty
  test("empty lists and nulls are left out", async () => {
    const { tools } = openFarm((config) =>
      config.addMetadataProvider({ subject: () => ({ $icon: null, $note: undefined }) }),
    );
    const barn = at(await callTool(tools, "query"), "subjects", "barn");
    for (const key of ["$methods", "$interfaces", "$icon", "$note"]) expect(barn).not.toHaveProperty(key);
  });

  // @proves subjects.query.order
  test("children come in the order of definition, list and map, also when filtered and after they moved", async () => {
    const { tools, barn, root } = openFarm();
    barn.$children("lamps").insert(0, Fan.create({ speed: 1 }));
    barn.$children("lamps").insert(1, Stall.create({ number: 2, feed: "hay" }));
    barn.stalls = new Map(["z", "a", "m"].map((key) => [key, Stall.create({ number: 1, feed: "hay" })]));
    root.$children("more").set("early", Fan.create({ speed: 9 }));
    const keys = ["climate", "stalls[z]", "stalls[a]", "stalls[m]", "lamps[0]", "lamps[1]"];
    expect(keysOf((await callTool(tools, "query", { path: "/barn" }))["subjects"])).toEqual(keys);
    barn.$children("lamps").move(0, 1);
    const flat = await callTool(tools, "query", { depth: 10, filter: { types: ["Marker", "Motor"] } });
    expect(keysOf(flat["subjects"])).toEqual([
      "early",
      "barn/stalls[z]",
      "barn/stalls[a]",
      "barn/stalls[m]",
      "barn/lamps[0]",
      "barn/lamps[1]",
      "barn/climate/fan",
    ]);
    expect(at(flat, "subjects", "barn/lamps[0]", "$type")).toBe("Stall");
  });

  test("the same filter gives the same answer whether the index or the walk finds it", async () => {
    const { tools, barn, root } = openFarm();
    barn.stalls = new Map(["z", "a", "m"].map((key) => [key, Stall.create({ number: 1, feed: "hay" })]));
    const walked = await callTool(tools, "query", { depth: 10, filter: { types: ["Marker"] } });
    // Many other subjects make the hits rare, and the index the shorter way.
    root.$children("more").set(
      "crowd",
      Farm.create({
        more: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, Fan.create({ speed: 1 })])),
      }),
    );
    const indexed = await callTool(tools, "query", { depth: 10, filter: { types: ["Marker"] } });
    expect(keysOf(indexed["subjects"])).toEqual(keysOf(walked["subjects"]));
    expect(indexed).toEqual(walked);
  });

  // @proves subjects.query.truncated-limits-only
  test("being cut by depth is told by $hasChildren, not by truncated", async () => {
    const answer = await callTool(openFarm().tools, "query", { depth: 1 });
    expect(answer).toMatchObject({ truncated: false, subjects: { barn: { $hasChildren: true } } });
  });

  // @proves subjects.query.one-revision kernel.journey.question-no-await-between-values
  test("no change can come between two values of one answer", async () => {
    const { tools, climate } = openFarm();
    const seen: boolean[] = [];
    for (let i = 0; i < 20; i++) {
      const asking = callTool(tools, "query", { path: "/barn/climate", depth: 1, includeProperties: true });
      climate.$set("temperature", i);
      climate.target = 5 + i;
      const subject = at(await asking, "subject");
      seen.push(
        at(subject, "delta", "value") ===
          Number(at(subject, "target", "value")) - Number(at(subject, "temperature", "value")),
      );
    }
    expect(seen).not.toContain(false);
  });

  // @proves subjects.seed.additive-only
  test("every field of the seed's answers is there under its name", async () => {
    const { tools } = openFarm();
    const answer = await callTool(tools, "query", { path: "/barn", depth: 2, includeProperties: true, filter: {} });
    expect(answer).toMatchObject({ path: "/barn", truncated: false, subjectCount: 3 });
    expect(at(answer, "subjects", "climate")).toMatchObject({
      $type: "ClimateUnit",
      $interfaces: ["steading.sensors.TemperatureSensor"],
      $title: "North wall",
      $icon: "thermostat",
      $methods: expect.arrayContaining(["calibrate"]),
      $hasChildren: true,
      temperature: { value: 14.2, unit: "DegreeCelsius", isWritable: false },
      target: { value: 21.5, isWritable: true },
    });
    expect(await callTool(tools, "get_property", { path: "/barn/climate/temperature" })).toMatchObject({
      value: 14.2,
      type: "number",
      isWritable: false,
      unit: "DegreeCelsius",
    });
    expect(await callTool(tools, "set_property", { path: "/barn/climate/target", value: 23.0 })).toMatchObject({
      success: true,
      previousValue: 21.5,
    });
    expect(at(await callTool(tools, "list_types"), "types")).toContainEqual(
      expect.objectContaining({ name: "steading.sensors.TemperatureSensor", description: "Measures a temperature" }),
    );
    expect(at(await callTool(tools, "list_methods", { path: "/barn/climate/fan" }), "methods")).toMatchObject([
      { name: "turn", kind: "operation", parameters: [{ name: "degrees", type: "number" }] },
    ]);
    expect(
      await callTool(tools, "invoke_method", { path: "/barn/climate/fan", method: "turn", arguments: { degrees: 23 } }),
    ).toMatchObject({ success: true });
  });
});

describe("types in filters and answers", () => {
  const Base = defineInterface("a.Sensor", { description: "Base" });
  const Special = defineInterface("b.special.Sensor", { description: "More", extends: [Base] });
  const Probe = defineSubject("c.Probe", { implements: [Special], props: { x: p.number() } });
  const Room = defineSubject("c.Room", { children: { probe: c.one(() => Probe) } });
  const open = (configure?: Parameters<typeof openRoot>[1]) =>
    openRoot(Room.create({ probe: Probe.create({ x: 1 }) }), configure).tools;

  // @proves subjects.type-providers.short-names
  test("a last part that two types share must be written out", async () => {
    expect(await errorOf(callTool(open(), "query", { filter: { types: ["Sensor"] } }))).toMatchObject({
      code: "INVALID_ARGUMENTS",
      candidates: ["a.Sensor", "b.special.Sensor"],
    });
    expect(await callTool(open(), "query", { filter: { types: ["Probe"] } })).toMatchObject({ subjectCount: 1 });
  });

  // @proves subjects.type-providers.extends subjects.type-providers.built-in
  test("a subject has its interfaces and what those extend", async () => {
    for (const name of ["a.Sensor", "b.special.Sensor"])
      expect(await callTool(open(), "query", { filter: { types: [name] } })).toMatchObject({ subjectCount: 1 });
    expect(at(await callTool(open(), "list_types"), "types")).toMatchObject([
      { name: "a.Sensor", count: 1 },
      { name: "b.special.Sensor", count: 1, extends: ["a.Sensor"] },
    ]);
  });

  // @proves subjects.type-providers.concatenated
  test("several providers add up, and the first word about a name counts", async () => {
    const entry = (description: string) => ({
      types: () => [{ name: "x.Extra", description, isInterface: true, definition: undefined }],
    });
    const tools = open((config) => config.addTypeProvider(entry("first")).addTypeProvider(entry("second")));
    const types = at(await callTool(tools, "list_types"), "types") as { name: string; description: string }[];
    expect(types.filter(({ name }) => name === "x.Extra")).toMatchObject([{ description: "first" }]);
  });

  // @proves subjects.type-providers.known-only
  test("only interfaces that are known are named", async () => {
    const answer = await callTool(open(), "query");
    const known = (at(await callTool(open(), "list_types"), "types") as { name: string }[]).map(({ name }) => name);
    for (const name of at(answer, "subjects", "probe", "$interfaces") as string[]) expect(known).toContain(name);
  });
});

describe("methods", () => {
  const Pumping = defineInterface("t.Pumping", {
    methods: { pump: m.operation({ input: z.object({ litres: z.number() }) }), level: m.query({}) },
  });
  const Pump = defineSubject("t.Pump", {
    implements: [Pumping],
    methods: {
      pump: (_pump: unknown, { litres }: { litres: number }) => litres * 2,
      level: () => 7,
      refillAsync: m.operation({}, async () => "full"),
      bare: (_pump: unknown, _args: unknown, context: { caller?: { principal: string } }) => context.caller?.principal,
    },
  });
  const open = () => openRoot(Pump.create()).tools;

  // @proves subjects.methods.async-suffix subjects.methods.kind-default subjects.methods.from-interface subjects.methods.injected-context
  test("kinds and inputs come from the interface, Async is dropped, what says nothing is an operation, the context is no argument", async () => {
    const methods = at(await callTool(open(), "list_methods", { path: "/" }), "methods") as {
      name: string;
      kind: string;
      parameters: unknown[];
    }[];
    expect(methods.map(({ name, kind, parameters }) => `${name} ${kind} ${parameters.length}`).toSorted()).toEqual([
      "bare operation 0",
      "level query 0",
      "pump operation 1",
      "refill operation 0",
    ]);
    expect(await callTool(open(), "invoke_method", { path: "/", method: "pump", arguments: { litres: "3" } })).toEqual({
      success: true,
      result: 6,
    });
    expect(await callTool(open(), "invoke_method", { path: "/", method: "refill" })).toEqual({
      success: true,
      result: "full",
    });
    expect(await callTool(open(), "invoke_method", { path: "/", method: "bare" })).toEqual({
      success: true,
      result: "a operator",
    });
    expect(
      await errorOf(callTool(open(), "invoke_method", { path: "/", method: "bare", arguments: { signal: 1 } })),
    ).toMatchObject({ code: "INVALID_ARGUMENTS" });
  });
});
