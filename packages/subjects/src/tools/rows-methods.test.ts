import { describe, expect, test } from "vitest";
import { createTrialDoor, createTrialLog } from "@steading/kernel/testing";
import { createDispatcher, seconds } from "@steading/kernel";
import * as z from "zod";
import { createGraph } from "../graph/create-graph.ts";
import { defineSubject } from "../define/define-subject.ts";
import { m } from "../define/m.ts";
import { p } from "../define/p.ts";
import { all, declaredMethods } from "../paths/path-providers.ts";
import { createSubjectTools } from "./create-subject-tools.ts";

import { at, callerOf, callTool, errorOf } from "./testing/call-tool.ts";
import { openFarm } from "./testing/farm.ts";

const climate = "/barn/climate";
const names = (answer: unknown) => (at(answer as never, "methods") as { name: string }[]).map(({ name }) => name);

describe("list_types, row by row", () => {
  // @proves subjects.list-types.shape
  test("interfaces only, sorted by name, with description and count", async () => {
    const { tools } = openFarm();
    const { types } = await callTool(tools, "list_types");
    expect(types).toEqual([
      { name: "farm.Marker", description: "Says nothing about itself", isInterface: true, count: 1 },
      { name: "farm.drives.Motor", description: "Turns something", isInterface: true, count: 1 },
      {
        name: "steading.sensors.TemperatureSensor",
        description: "Measures a temperature",
        isInterface: true,
        count: 1,
      },
    ]);
  });

  // @proves subjects.row.t1 subjects.list-types.detail
  test("T1: with detail, properties and methods with JSON types and return type", async () => {
    const { tools } = openFarm();
    const { types } = await callTool(tools, "list_types", { detail: true, type: "motor" });
    expect(types).toEqual([
      expect.objectContaining({
        properties: [{ name: "speed", type: "integer", unit: "Percent", isWritable: true }],
        methods: [
          {
            name: "turn",
            kind: "operation",
            returnType: "boolean",
            parameters: [{ name: "degrees", type: "number", required: true, unit: "Degree" }],
          },
        ],
      }),
    ]);
  });

  // @proves subjects.row.t2
  test("T2: nothing known, no methods, no known interfaces: an empty list each", async () => {
    const Bare = defineSubject("test.Bare", { props: { x: p.number() } });
    const root = Bare.create({ x: 1 });
    const trial = createTrialDoor();
    createGraph({ clock: trial.clock, log: createTrialLog().log, root });
    const bare = createSubjectTools(root);
    expect(await callTool(bare, "list_types")).toEqual({ types: [] });
    expect(await callTool(bare, "list_types", { kind: "concrete" })).toMatchObject({
      types: [{ name: "test.Bare", interfaces: [] }],
    });
    const { tools } = openFarm();
    const { types } = await callTool(tools, "list_types", { detail: true, type: "marker" });
    expect(types).toMatchObject([{ properties: [], methods: [] }]);
  });

  // @proves subjects.row.t3 subjects.list-types.kind-filter subjects.list-types.concrete
  test("T3: kind and text filter, alone and together, whatever the case; a read-only member says so", async () => {
    const { tools } = openFarm();
    const listed = async (args: object) =>
      (at(await callTool(tools, "list_types", args), "types") as { name: string }[]).map(({ name }) => name);
    expect(await listed({ kind: "concrete" })).toEqual([
      "farm.Barn",
      "farm.ClimateUnit",
      "farm.Fan",
      "farm.Farm",
      "farm.Stall",
    ]);
    expect(await listed({ kind: "all", type: "MOTOR" })).toEqual(["farm.drives.Motor"]);
    expect(await listed({ type: "turns SOMETHING" })).toEqual(["farm.drives.Motor"]);
    expect(await listed({ kind: "concrete", type: "motor" })).toEqual([]);
    const concrete = await callTool(tools, "list_types", { kind: "concrete", type: "farm.Fan", detail: true });
    expect(concrete["types"]).toEqual([
      { name: "farm.Fan", isInterface: false, count: 1, interfaces: ["farm.drives.Motor"] },
    ]);
    const sensor = await callTool(tools, "list_types", { type: "temperature", detail: true });
    expect(at(sensor, "types")).toMatchObject([{ properties: [{ name: "temperature", isWritable: false }] }]);
  });
});

describe("list_methods and invoke_method, row by row", () => {
  // @proves subjects.list-methods.shape
  test("methods are listed with kind, parameters, types and units", async () => {
    const { tools } = openFarm();
    const answer = await callTool(tools, "list_methods", { path: climate });
    expect(answer["methods"]).toContainEqual({
      name: "calibrate",
      kind: "operation",
      title: "Calibrate",
      parameters: [
        { name: "temperature", type: "number", required: true, unit: "DegreeCelsius" },
        { name: "note", type: "string", required: false },
      ],
      isEnabled: true,
    });
    expect(await callTool(tools, "list_methods", { path: "/barn" })).toEqual({ methods: [] });
    expect(await errorOf(callTool(tools, "list_methods", { path: "/barn/stalls" }))).toMatchObject({
      code: "NOT_A_SUBJECT",
    });
    expect(await errorOf(callTool(tools, "list_methods", { path: "/barn/name" }))).toMatchObject({
      code: "NOT_A_SUBJECT",
    });
  });

  // @proves subjects.row.m1 subjects.list-methods.every-mode
  test("M1: a read-only server runs queries and refuses operations, and lists both", async () => {
    const { tools } = openFarm((config) => (config.access = "read"));
    expect(await callTool(tools, "invoke_method", { path: climate, method: "diagnose" })).toMatchObject({
      success: true,
      result: { delta: expect.any(Number) },
    });
    const error = await errorOf(
      callTool(tools, "invoke_method", { path: climate, method: "calibrate", arguments: { temperature: 1 } }),
    );
    expect(error.code).toBe("SERVER_READ_ONLY");
    expect(error.error).toContain("read-only");
    const listed = await callTool(tools, "list_methods", { path: climate });
    expect(names(listed)).toContain("calibrate");
    expect(listed["methods"]).toContainEqual(
      expect.objectContaining({ name: "calibrate", isEnabled: false, reason: expect.stringContaining("read-only") }),
    );
  });

  // @proves subjects.row.m2 subjects.error.method-not-found
  test("M2: an unknown method and an unknown path", async () => {
    const { tools } = openFarm();
    const error = await errorOf(callTool(tools, "invoke_method", { path: climate, method: "calibrat" }));
    expect(error).toMatchObject({
      code: "METHOD_NOT_FOUND",
      methods: expect.arrayContaining(["calibrate"]),
      suggestions: ["calibrate"],
    });
    expect(error.error).toContain("not found");
    expect(await errorOf(callTool(tools, "invoke_method", { path: "/nope", method: "x" }))).toMatchObject({
      code: "PATH_NOT_FOUND",
    });
  });

  // @proves subjects.row.m3 subjects.invoke.coercion subjects.invoke.all-problems subjects.error.invalid-arguments subjects.invoke.shape
  test("M3: arguments go by name; all that is wrong is told at once", async () => {
    const { tools, climate: unit } = openFarm();
    expect(
      await callTool(tools, "invoke_method", {
        path: climate,
        method: "calibrate",
        arguments: { temperature: "18.5" },
      }),
    ).toEqual({ success: true });
    expect(unit.temperature).toBe(18.5);
    const error = await errorOf(
      callTool(tools, "invoke_method", { path: climate, method: "calibrate", arguments: { temprature: 1, note: 5 } }),
    );
    expect(error.code).toBe("INVALID_ARGUMENTS");
    expect(error["problems"]).toEqual([
      { path: "temprature", message: expect.stringContaining("temperature") },
      { path: "note", message: "must be text" },
      { path: "temperature", message: "is missing" },
    ]);
  });

  // @proves subjects.row.m4 subjects.error.method-failed subjects.invoke.domain-error
  test("M4: what a method throws stays inside, unless it was written for the caller", async () => {
    const { log, logged } = createTrialLog();
    const { tools } = openFarm(undefined, log);
    const error = await errorOf(callTool(tools, "invoke_method", { path: climate, method: "explode" }));
    expect(error).toMatchObject({ code: "METHOD_FAILED", ref: expect.any(String) });
    expect(JSON.stringify(error)).not.toContain("4711");
    expect(logged.some(({ fields }) => fields?.["ref"] === error["ref"])).toBe(true);
    expect(await errorOf(callTool(tools, "invoke_method", { path: climate, method: "refuse" }))).toMatchObject({
      code: "METHOD_FAILED",
      error: "The filter must be changed first.",
    });
  });

  // @proves subjects.row.m5
  test("M5: in read-only mode $methods holds queries only, and is absent if there are none", async () => {
    const { tools } = openFarm((config) => (config.access = "read"));
    const answer = await callTool(tools, "query", { path: "/barn", depth: 2 });
    expect(at(answer, "subjects", "climate", "$methods")).toEqual(["diagnose"]);
    expect(at(answer, "subjects", "climate", "fan")).not.toHaveProperty("$methods");
  });

  // @proves subjects.row.m6 subjects.error.method-disabled
  test("M6: a method whose isEnabled is false does not run", async () => {
    const { tools, graph, climate: unit } = openFarm();
    let enabled = false;
    graph.registry.addAttribute(unit, "calibrate", "isEnabled", { get: () => enabled });
    const call = { path: climate, method: "calibrate", arguments: { temperature: 1 } };
    expect(await errorOf(callTool(tools, "invoke_method", call))).toMatchObject({ code: "METHOD_DISABLED" });
    expect(unit.temperature).toBe(14.2);
    const listed = await callTool(tools, "list_methods", { path: climate });
    expect(listed["methods"]).toContainEqual(
      expect.objectContaining({ name: "calibrate", isEnabled: false, reason: expect.any(String) }),
    );
    enabled = true;
    graph.recompute(unit, "calibrate@isEnabled");
    expect(await callTool(tools, "invoke_method", call)).toEqual({ success: true });
  });

  // @proves subjects.methods.every-call-runs subjects.access.roles
  test("every call runs; a viewer runs queries and no operations", async () => {
    let runs = 0;
    const Counter = defineSubject("test.Counter", {
      methods: { tick: m.operation({}, () => ++runs), look: m.query({}, () => runs) },
    });
    const trial = createTrialDoor();
    const root = Counter.create();
    createGraph({ clock: trial.clock, log: createTrialLog().log, root });
    const tools = createSubjectTools(root, (config) => config.addMetadataProvider(declaredMethods()));
    await callTool(tools, "invoke_method", { path: "/", method: "tick" });
    expect(await callTool(tools, "invoke_method", { path: "/", method: "tick" })).toEqual({ success: true, result: 2 });
    expect(await callTool(tools, "invoke_method", { path: "/", method: "look" }, { as: "viewer" })).toEqual({
      success: true,
      result: 2,
    });
    expect(
      await errorOf(callTool(tools, "invoke_method", { path: "/", method: "tick" }, { as: "viewer" })),
    ).toMatchObject({ code: "ACCESS_DENIED" });
    expect(runs).toBe(2);
  });

  // @proves subjects.methods.timeout subjects.error.timeout subjects.invoke.cancel
  test("a method that hangs is TIMEOUT and its signal fires; so it does when the caller leaves", async () => {
    const aborted: string[] = [];
    const Slow = defineSubject("test.Slow", {
      methods: {
        wait: m.operation({ timeoutMs: 5_000 }, (_subject, _args, { signal }) => {
          signal.addEventListener("abort", () => aborted.push("fired"));
          return new Promise(() => {});
        }),
      },
    });
    const trial = createTrialDoor();
    const root = Slow.create();
    createGraph({ clock: trial.clock, log: createTrialLog().log, root });
    const tools = createSubjectTools(root, (config) => config.addMetadataProvider(declaredMethods()));
    const late = errorOf(callTool(tools, "invoke_method", { path: "/", method: "wait" }));
    await new Promise((resolve) => setImmediate(resolve)); // the call reads its arguments first
    await trial.clock.advance(seconds(5));
    expect(await late).toMatchObject({ code: "TIMEOUT" });
    const leaving = new AbortController();
    const left = errorOf(callTool(tools, "invoke_method", { path: "/", method: "wait" }, { signal: leaving.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    leaving.abort();
    expect(await left).toMatchObject({ code: "TIMEOUT" });
    expect(aborted).toEqual(["fired", "fired"]);
  });

  // @proves subjects.error.confirmation-required subjects.confirmation.approval-id subjects.access.roles
  // @proves kernel.approval.invoke-method-takes-approval-id mcp.confirm.replaced-flag
  test("a dangerous method asks for an approval, runs with it once, and never by a flag of the caller's own", async () => {
    const trial = createTrialDoor();
    const { tools, climate: unit } = openFarm();
    const dispatcher = createDispatcher({
      toolsets: [tools],
      door: trial.door,
      clock: trial.clock,
      log: createTrialLog().log,
    });
    const call = (extra: object, role: "operator" | "admin" = "admin") =>
      dispatcher.call({
        tool: "invoke_method",
        arguments: { path: climate, method: "reset", ...extra },
        caller: callerOf(role),
      });
    const text = (result: Awaited<ReturnType<typeof call>>) =>
      JSON.parse(result.kind === "unknown-tool" ? "{}" : result.text) as Record<string, unknown>;

    expect(text(await call({}, "operator"))).toMatchObject({ code: "ACCESS_DENIED" });
    expect(text(await call({ confirm: true }))).toMatchObject({ code: "INVALID_ARGUMENTS" });
    const asked = text(await call({}));
    expect(asked).toMatchObject({ code: "CONFIRMATION_REQUIRED" });
    expect(JSON.stringify(asked)).toContain("Run reset on /barn/climate");
    expect(unit.target).toBe(21.5);
    const approval = trial.approvals.pending()[0]?.id;
    expect(JSON.stringify(asked)).toContain(approval);
    expect(text(await call({ approval }))).toMatchObject({
      success: true,
      result: "reset",
      receipt: { stage: "acknowledged" },
    });
    expect(unit.target).toBe(20);
    expect(text(await call({ approval }))).toMatchObject({ code: "APPROVAL_USED" });
  });

  // @proves subjects.journal.writes
  test("operations are handed to the journal with their arguments and outcome, queries are not", async () => {
    const records: unknown[] = [];
    const { tools } = openFarm((config) => (config.journal = (record) => records.push(record)));
    await callTool(tools, "invoke_method", { path: climate, method: "calibrate", arguments: { temperature: 18 } });
    await errorOf(callTool(tools, "invoke_method", { path: climate, method: "explode" }));
    await callTool(tools, "invoke_method", { path: climate, method: "diagnose" });
    const common = { at: expect.any(Number), caller: callerOf("operator"), action: "invoke", path: climate };
    expect(records).toEqual([
      { ...common, method: "calibrate", new: { temperature: 18 }, outcome: "ok" },
      { ...common, method: "explode", new: {}, outcome: "METHOD_FAILED" },
    ]);
  });

  test("a key lets an operation run once, and belongs to its arguments", async () => {
    let runs = 0;
    const Counter = defineSubject("test.KeyCounter", {
      methods: { add: m.operation({ input: z.object({ n: z.number() }) }, (_counter, { n }) => (runs += n)) },
    });
    const trial = createTrialDoor();
    const root = Counter.create();
    createGraph({ clock: trial.clock, log: createTrialLog().log, root });
    const tools = createSubjectTools(root, (config) => config.addMetadataProvider(declaredMethods()));
    const dispatcher = createDispatcher({
      toolsets: [tools],
      door: trial.door,
      clock: trial.clock,
      log: createTrialLog().log,
    });
    const add = async (n: number) => {
      const args = { path: "/", method: "add", arguments: { n }, idempotency_key: "once" };
      const result = await dispatcher.call({ tool: "invoke_method", arguments: args, caller: callerOf("operator") });
      return JSON.parse(result.kind === "unknown-tool" ? "{}" : result.text) as Record<string, unknown>;
    };
    const answers = await Promise.all([add(2), add(2), add(2)]);
    expect(answers).toEqual([
      { success: true, result: 2 },
      { success: true, result: 2 },
      { success: true, result: 2 },
    ]);
    expect(await add(3)).toMatchObject({ code: "CONFLICT" });
    expect(runs).toBe(2);
  });

  // @proves subjects.confirmation.forbid
  test("a server can forbid dangerous methods altogether", async () => {
    const { tools } = openFarm((config) => (config.dangerousMethods = "forbid"));
    expect(
      await errorOf(callTool(tools, "invoke_method", { path: climate, method: "reset" }, { as: "admin" })),
    ).toMatchObject({ code: "ACCESS_DENIED" });
  });

  test("a method that returns a subject answers with a reference, never with its insides", async () => {
    const Keeper = defineSubject("test.Keeper", {
      props: { pin: p.string().config().secret().default("4711") },
      methods: { me: m.query({}, (subject) => subject) },
    });
    const trial = createTrialDoor();
    const root = Keeper.create();
    createGraph({ clock: trial.clock, log: createTrialLog().log, root });
    const tools = createSubjectTools(root, (config) => {
      config.pathProvider = all();
      config.addMetadataProvider(declaredMethods());
    });
    expect(await callTool(tools, "invoke_method", { path: "/", method: "me" })).toEqual({
      success: true,
      result: { $ref: "/", $type: "test.Keeper" },
    });
    expect(await errorOf(callTool(tools, "get_property", { path: "/pin" }))).toMatchObject({ code: "PATH_NOT_FOUND" });
    expect(JSON.stringify(await callTool(tools, "query", { includeProperties: true }))).not.toContain("4711");
  });
});
