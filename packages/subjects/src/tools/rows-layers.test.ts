import { createManualClock, silentLog } from "@steading/kernel";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineSubject } from "../define/define-subject.ts";
import { c } from "../define/c.ts";
import { m } from "../define/m.ts";
import { p } from "../define/p.ts";
import { createGraph } from "../graph/create-graph.ts";
import type { PathProvider } from "../info/providers.ts";
import { declaredMethods } from "../paths/path-providers.ts";
import { createSubjectTools } from "./create-subject-tools.ts";

import { at, callTool, errorOf } from "./testing/call-tool.ts";
import { openFarm } from "./testing/farm.ts";

const Probe = defineSubject("test.Probe", {
  props: {
    temperature: p.number({ unit: "DegreeCelsius" }).writable().path("mcp", "temp"),
    hidden: p.number().writable(),
  },
  methods: { poke: m.operation({ input: z.object({ depth: z.number() }) }, () => "poked") },
});
const Box = defineSubject("test.Box", { children: { probe: c.one(() => Probe) } });

function openBox(configure?: Parameters<typeof createSubjectTools>[1]) {
  const probe = Probe.create({ temperature: 20, hidden: 1 });
  const root = Box.create({ probe });
  createGraph({ clock: createManualClock(), log: silentLog, root });
  return { probe, tools: createSubjectTools(root, configure) };
}

describe("core and integration", () => {
  // @proves subjects.row.layers-core-not-opted-in
  test("core: a property without an mcp path is not listed, not found and not written", async () => {
    const { tools, probe } = openBox();
    expect(
      at(await callTool(tools, "query", { includeProperties: true }), "subjects", "probe", "hidden"),
    ).toBeUndefined();
    expect(await errorOf(callTool(tools, "get_property", { path: "/probe/hidden" }))).toMatchObject({
      code: "PATH_NOT_FOUND",
    });
    expect(await errorOf(callTool(tools, "set_property", { path: "/probe/hidden", value: 2 }))).toMatchObject({
      code: "PATH_NOT_FOUND",
    });
    expect(probe.hidden).toBe(1);
  });

  // @proves subjects.row.layers-core-opted-in
  test("core: a property with an mcp path is printed and addressed by it", async () => {
    const { tools, probe } = openBox();
    expect(at(await callTool(tools, "query", { includeProperties: true }), "subjects", "probe", "temp", "value")).toBe(
      20,
    );
    expect(await callTool(tools, "set_property", { path: "/probe/temp", value: 21 })).toMatchObject({ success: true });
    expect(probe.temperature).toBe(21);
    expect(await errorOf(callTool(tools, "get_property", { path: "/probe/temperature" }))).toMatchObject({
      code: "PATH_NOT_FOUND",
    });
  });

  // @proves subjects.layers.core-no-methods
  test("core: no methods until a provider brings them", async () => {
    const { tools } = openBox();
    expect(await callTool(tools, "list_methods", { path: "/probe" })).toEqual({ methods: [] });
    expect(
      await errorOf(callTool(tools, "invoke_method", { path: "/probe", method: "poke", arguments: { depth: 1 } })),
    ).toMatchObject({ code: "METHOD_NOT_FOUND" });
    const open = openBox((config) => config.addMetadataProvider(declaredMethods()));
    expect(
      await callTool(open.tools, "invoke_method", { path: "/probe", method: "poke", arguments: { depth: 1 } }),
    ).toMatchObject({ result: "poked" });
  });

  // @proves subjects.access.core-default
  test("core: access is write by default", async () => {
    const { tools } = openBox();
    expect(await callTool(tools, "get_property", { path: "/probe/temp" })).toMatchObject({ isWritable: true });
  });

  // @proves subjects.row.layers-minimal-provider
  test("a provider with only includes and segment resolves paths", async () => {
    const shouting: PathProvider = { includes: () => true, segment: (property) => property.name.toUpperCase() };
    const { tools } = openBox((config) => (config.pathProvider = shouting));
    expect(await callTool(tools, "get_property", { path: "/PROBE/HIDDEN" })).toMatchObject({ value: 1 });
    expect(
      at(await callTool(tools, "query", { includeProperties: true }), "subjects", "PROBE", "HIDDEN", "value"),
    ).toBe(1);
  });

  // @proves subjects.row.layers-provider-method subjects.enrichers.methods
  test("a provider's method is listed, shown and callable, and a declared one of its name wins", async () => {
    const { tools } = openBox((config) =>
      config
        .addMetadataProvider({
          methods: () => [
            { name: "hum", kind: "query", invoke: () => "mmm" },
            { name: "poke", kind: "operation", invoke: () => "not me" },
          ],
        })
        .addMetadataProvider(declaredMethods()),
    );
    expect(at(await callTool(tools, "query"), "subjects", "probe", "$methods")).toEqual(["hum", "poke"]);
    expect(at(await callTool(tools, "list_methods", { path: "/probe" }), "methods")).toMatchObject([
      { name: "hum" },
      { name: "poke" },
    ]);
    expect(await callTool(tools, "invoke_method", { path: "/probe", method: "hum" })).toMatchObject({ result: "mmm" });
    expect(
      await callTool(tools, "invoke_method", { path: "/probe", method: "poke", arguments: { depth: 1 } }),
    ).toMatchObject({ result: "poked" });
    expect(await errorOf(callTool(tools, "get_property", { path: "/probe/hum" }))).toMatchObject({
      code: "NOT_A_PROPERTY",
    });
  });

  // @proves subjects.row.layers-provider-type
  test("a provider's type is listed and can be asked for", async () => {
    const name = "MyPlugin.Devices.IrrigationController";
    const { tools } = openBox((config) =>
      config.addMetadataProvider({ types: () => [{ name, description: "Waters things" }] }),
    );
    expect(at(await callTool(tools, "list_types"), "types")).toContainEqual({
      name,
      description: "Waters things",
      isInterface: true,
      count: 0,
    });
    expect(await callTool(tools, "query", { depth: 10, filter: { types: [name] } })).toMatchObject({
      subjects: {},
      subjectCount: 0,
    });
    expect(await callTool(tools, "query", { depth: 10, filter: { types: ["IrrigationController"] } })).toMatchObject({
      subjectCount: 0,
    });
  });

  // @proves subjects.enrichers.protected-keys
  test("a provider may replace $type, and nothing that says where a node is", async () => {
    const { tools } = openFarm((config) =>
      config.addMetadataProvider({
        subject: () => ({ $type: "Thing", $path: "/x", $id: "x", $ref: "/x", $hasChildren: "maybe" }),
      }),
    );
    const node = at(await callTool(tools, "query"), "subjects", "barn");
    expect(node).toMatchObject({ $type: "Thing", $hasChildren: true });
    for (const key of ["$path", "$id", "$ref"]) expect(node).not.toHaveProperty(key);
  });

  // @proves subjects.layers.configure-last
  test("what is configured later overrides what came before", async () => {
    const { tools } = openFarm((config) => {
      config.addMetadataProvider({ subject: () => ({ $title: "Mine" }) });
      config.limits.maxDepth = 1;
    });
    const answer = await callTool(tools, "query", { depth: 5 });
    expect(at(answer, "subjects", "barn", "$title")).toBe("Mine");
    expect(answer["depth"]).toBe(1);
  });

  test("a limit that is no whole number is refused at once", () => {
    expect(() => openFarm((config) => (config.limits.maxDepth = 1.5))).toThrow("limits.maxDepth");
  });
});
