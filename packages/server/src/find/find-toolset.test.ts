import {
  createDispatcher,
  createManualClock,
  createRealClock,
  defineTool,
  minutes,
  silentLog,
  SteadingError,
  type Caller,
  type Clock,
  type Dispatcher,
  type Toolset,
} from "@steading/kernel";
import * as z from "zod";
import { expect, test } from "vitest";
import { createFindToolset } from "./find-toolset.ts";

const viewer: Caller = { principal: "vera", role: "viewer", transport: "internal", correlation: "1" };
const admin: Caller = { ...viewer, principal: "anna", role: "admin" };

let fill = (): void => {};

function toolset(): Toolset {
  const spec = { title: "T", input: z.object({}), minimumRole: "viewer" as const };
  return {
    name: "house",
    tools: [
      defineTool({
        ...spec,
        name: "zones.read",
        summary: "Reads heating zones. More words follow.",
        intent: "READ_ONLY",
        text: () => "[21]",
        handler: () => ({ temperature: 21 }),
      }),
      defineTool({
        ...spec,
        name: "valve.open",
        summary: "Opens a water valve.",
        minimumRole: "operator",
        intent: "MUTATE",
        handler: (_, { caller, idempotencyKey }) => ({ by: caller.principal, key: idempotencyKey ?? null }),
      }),
      defineTool({
        ...spec,
        name: "tank.fill",
        summary: "Fills, for as long as ten minutes.",
        intent: "READ_ONLY",
        deadline: minutes(10),
        handler: () => new Promise<object>((resolve) => (fill = () => resolve({ full: true }))),
      }),
      defineTool({
        ...spec,
        name: "pump.refuse",
        summary: "Refuses.",
        intent: "READ_ONLY",
        handler() {
          throw new SteadingError("PUMP_DRY", "The pump is dry.");
        },
      }),
    ],
    errorJson: (error) => ({ contract: error.code }),
  };
}

function setUp(clock: Clock = createRealClock()): Dispatcher {
  const dispatcher: Dispatcher = createDispatcher({
    toolsets: [createFindToolset({ dispatcher: () => dispatcher }), toolset()],
    door: { perform: () => Promise.reject(new Error("no door")) },
    clock,
    log: silentLog,
  });
  return dispatcher;
}
const call = (tool: string, args: object, caller: Caller = admin) => setUp().call({ tool, arguments: args, caller });

// @proves mcp.tools.generic-set
test("a tool is found by words in its name or description, the best first", async () => {
  expect(await call("find_tools", { query: "zone" })).toMatchObject({
    kind: "answer",
    structured: {
      tools: [{ name: "zones.read", summary: "Reads heating zones.", changes: false }],
      total: 1,
      cut: false,
    },
  });
  expect(await call("find_tools", { query: "open valve" })).toMatchObject({
    structured: { tools: [{ name: "valve.open", changes: true }] },
  });
});

test("without words everything is listed, and what was left out is told", async () => {
  expect(await call("find_tools", { limit: 1 })).toMatchObject({ structured: { total: 4, cut: true } });
});

test("what a role may not see is neither found, described nor called", async () => {
  expect(await call("find_tools", { query: "valve" }, viewer)).toMatchObject({ structured: { total: 0 } });
  expect(await call("describe_tool", { name: "valve.open" }, viewer)).toMatchObject({
    kind: "error",
    error: { code: "TOOL_UNKNOWN" },
  });
  expect(await call("call_tool", { name: "valve.open" }, viewer)).toMatchObject({
    kind: "error",
    error: { code: "TOOL_UNKNOWN" },
  });
});

test("a description tells the arguments", async () => {
  expect(await call("describe_tool", { name: "zones.read" })).toMatchObject({
    structured: { name: "zones.read", inputSchema: { type: "object" }, confirm: "plain" },
  });
});

test("a mistyped name is answered with the nearest one", async () => {
  expect(await call("describe_tool", { name: "zone.read" })).toMatchObject({
    error: { code: "TOOL_UNKNOWN", details: { near: "zones.read" } },
  });
});

test("a call answers as the tool itself would, text and all", async () => {
  expect(await call("call_tool", { name: "zones.read" })).toMatchObject({
    kind: "answer",
    structured: { temperature: 21 },
    text: "[21]",
  });
});

test("an error comes in the form of the tool's own contract", async () => {
  expect(await call("call_tool", { name: "pump.refuse" })).toMatchObject({
    kind: "error",
    error: { code: "PUMP_DRY" },
    text: '{"contract":"PUMP_DRY"}',
  });
});

test("the caller and its key are handed on", async () => {
  expect(await call("call_tool", { name: "valve.open", idempotency_key: "k1" })).toMatchObject({
    structured: { by: "anna", key: "k1" },
  });
});

test("the three cannot be called through themselves", async () => {
  expect(await call("call_tool", { name: "call_tool", arguments: { name: "zones.read" } })).toMatchObject({
    error: { code: "TOOL_UNKNOWN" },
  });
});

test("a tool has its own deadline, also when it is called through another", async () => {
  const clock = createManualClock();
  const running = setUp(clock).call({ tool: "call_tool", arguments: { name: "tank.fill" }, caller: admin });
  await clock.advance(minutes(9));
  fill();
  expect(await running).toMatchObject({ kind: "answer", structured: { full: true } });
  const late = setUp(clock).call({ tool: "call_tool", arguments: { name: "tank.fill" }, caller: admin });
  await clock.advance(minutes(10));
  expect(await late).toMatchObject({ kind: "error", error: { code: "TIMEOUT" } });
});
