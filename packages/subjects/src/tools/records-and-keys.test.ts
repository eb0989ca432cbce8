import { createDispatcher, SteadingError, type Caller } from "@steading/kernel";
import { createTrialDoor, createTrialLog } from "@steading/kernel/testing";
import { describe, expect, test } from "vitest";
import { defineSubject } from "../define/define-subject.ts";
import { m } from "../define/m.ts";
import { p } from "../define/p.ts";
import { createGraph } from "../graph/create-graph.ts";
import { Folder } from "../graph/folder.ts";
import { declaredMethods, state } from "../paths/path-providers.ts";
import { openDoor, scriptedSource, Valve } from "../testing/test-sources.ts";
import { createSubjectTools } from "./create-subject-tools.ts";
import { callerOf, callTool, errorOf } from "./testing/call-tool.ts";
import { openFarm, packaged } from "./testing/farm.ts";
import type { SubjectActionRecord } from "./tools-config.ts";

const target = "/barn/climate/target";

describe("a key that is known", () => {
  const Counter = defineSubject("test.keys.Counter", {
    props: { count: p.integer().writable() },
    methods: {
      add: m.operation({}, (counter) => (counter.count += 1)),
      once: m.operation({ enabled: (counter: { count: number }) => counter.count === 0 }, (counter) => {
        counter.count = 1;
      }),
    },
  });

  function open() {
    const trial = createTrialDoor();
    const root = Counter.create({ count: 0 });
    createGraph({ clock: trial.clock, log: createTrialLog().log, root });
    let policy = true;
    const tools = createSubjectTools(root, (config) => {
      config.pathProvider = state();
      config.addMetadataProvider(declaredMethods());
      config.authorize = ({ action }) => action === "read" || policy;
    });
    const { log } = createTrialLog();
    const dispatcher = createDispatcher({ toolsets: [tools, tools.extras], door: trial.door, clock: trial.clock, log });
    const anna: Caller = { ...callerOf("operator"), principal: "anna" };
    async function call(tool: string, args: object, caller: Partial<Caller> = {}): Promise<Record<string, unknown>> {
      const result = await dispatcher.call({
        tool,
        arguments: { ...args, idempotency_key: "k" },
        caller: { ...anna, ...caller },
      });
      return JSON.parse(result.kind === "unknown-tool" ? "{}" : result.text) as Record<string, unknown>;
    }
    return { root, call, forbid: () => (policy = false) };
  }

  test.each([
    ["set_property", { path: "/count", value: 5 }],
    ["set_properties", { writes: [{ path: "/count", value: 5 }] }],
    ["invoke_method", { path: "/", method: "add" }],
  ])("of %s is answered again only to those who still have the right", async (tool, args) => {
    const { call, forbid } = open();
    const first = await call(tool, args);
    expect(first).toMatchObject({ success: true });
    expect(await call(tool, args)).toEqual(first);
    expect(await call(tool, args, { role: "viewer" })).toMatchObject({ code: "ACCESS_DENIED" });
    const elsewhere = await call(tool, args, { scope: { pathPrefixes: ["/elsewhere"] } });
    expect(elsewhere).toHaveProperty("code");
    expect(elsewhere).not.toHaveProperty("success");
    forbid();
    expect(await call(tool, args)).toMatchObject({ code: "ACCESS_DENIED" });
  });

  test("answers also when the call itself has disabled its method", async () => {
    const { call, root } = open();
    expect(await call("invoke_method", { path: "/", method: "once" })).toEqual({ success: true });
    expect(root.count).toBe(1);
    expect(await call("invoke_method", { path: "/", method: "once" })).toEqual({ success: true });
  });
});

describe("what is put on record", () => {
  test("several writes: those inside the hub by the tool, those of a device by the door alone", async () => {
    const root = Folder.create();
    const { clock } = createTrialDoor();
    const graph = createGraph({ clock, log: createTrialLog().log, root });
    const valve = Valve.create();
    const source = scriptedSource({ valve });
    source.snapshot = [{ path: "valve/target", value: 20 }];
    await graph.addSource("m", source, { mount: "/m" }).start();
    const Note = defineSubject("test.records.Note", { props: { text: p.string().writable() } });
    graph.attach("/", "note", Note.create({ text: "old" }));
    const records: SubjectActionRecord[] = [];
    const tools = createSubjectTools(root, (config) => {
      packaged(config);
      config.journal = (record) => records.push(record);
    });
    const writes = [
      { path: "/m/valve/target", value: 30 },
      { path: "/note/text", value: "new" },
    ];
    const answer = await callTool(tools.extras, "set_properties", { writes }, { perform: openDoor(source).perform });
    expect(answer).toMatchObject({ success: true });
    expect(records.map(({ path, outcome }) => [path, outcome])).toEqual([["/note/text", "applied"]]);
    records.length = 0;
    const refusing = { perform: openDoor(source, "failed").perform };
    const again = [
      { path: "/m/valve/target", value: 40 },
      { path: "/note/text", value: "newer" },
    ];
    await errorOf(callTool(tools.extras, "set_properties", { writes: again, onFailure: "bestEffort" }, refusing));
    expect(records.map(({ path, outcome }) => [path, outcome])).toEqual([["/note/text", "applied"]]);
    records.length = 0;
    const whole = [
      { path: "/m/valve/target", value: 50 },
      { path: "/note/text", value: "newest" },
    ];
    await errorOf(callTool(tools.extras, "set_properties", { writes: whole }, refusing));
    expect(records.map(({ path, outcome }) => [path, outcome])).toEqual([["/note/text", "SOURCE_REJECTED"]]);
  });

  test.each([
    ["subjects", "set_property", { path: target, value: 25 }],
    ["extras", "set_properties", { writes: [{ path: target, value: 25 }] }],
    ["subjects", "invoke_method", { path: "/barn/climate", method: "calibrate", arguments: { temperature: 20 } }],
  ] as const)("is there before the answer (%s: %s)", async (toolset, tool, args) => {
    let release: (() => void) | undefined;
    const { tools } = openFarm((config) => {
      config.journal = () => new Promise<void>((resolve) => (release = resolve));
    });
    let answered = false;
    const call = callTool(toolset === "extras" ? tools.extras : tools, tool, args);
    void call.then(() => (answered = true));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    release?.();
    expect(await call).toMatchObject({ success: true });
  });

  test("and when it cannot be, the caller hears that it was done and is not on record", async () => {
    const { tools, climate } = openFarm((config) => {
      config.journal = () => Promise.reject(new SteadingError("STORE_BUSY", "The queue is full.", { retryable: true }));
    });
    const error = await errorOf(callTool(tools, "set_property", { path: target, value: 25 }));
    expect(error).toMatchObject({ code: "STORE_BUSY", done: true });
    expect(error.error).toContain("could not be put on record");
    expect(climate.target).toBe(25);
    // What was refused anyway keeps its own reason.
    expect(await errorOf(callTool(tools, "set_property", { path: target, value: 99 }))).toMatchObject({
      code: "OUT_OF_RANGE",
    });
  });
});
