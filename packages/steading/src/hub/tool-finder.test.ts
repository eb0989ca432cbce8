import {
  createApprovals,
  createDispatcher,
  createDoor,
  createJournal,
  createManualClock,
  createMemoryLedger,
  createReception,
  defineTool,
  silentLog,
  type Caller,
  type Dispatcher,
} from "@steading/kernel";
import { expect, test } from "vitest";
import * as z from "zod";
import { createToolFinder } from "./tool-finder.ts";

const viewer: Caller = { principal: "anna", role: "viewer", transport: "internal", correlation: "1" };
const operator: Caller = { ...viewer, role: "operator" };

function dispatching() {
  const clock = createManualClock();
  const ledger = createMemoryLedger({ clock });
  const journal = createJournal({ ledger, clock, log: silentLog });
  const approvals = createApprovals({ ledger, journal, clock });
  const door = createDoor({
    ledger,
    journal,
    approvals,
    reception: createReception(clock),
    clock,
    log: silentLog,
    access: () => "write",
  });
  const keys: (string | undefined)[] = [];
  const add = defineTool({
    name: "add_numbers",
    title: "Add",
    summary: "Adds two numbers.",
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
    intent: "READ_ONLY",
    minimumRole: "viewer",
    handler: ({ a, b }) => ({ sum: a + b }),
  });
  const bump = defineTool({
    name: "bump",
    title: "Bump",
    summary: "Changes a counter.",
    input: z.object({}),
    output: z.looseObject({}),
    intent: "MUTATE",
    minimumRole: "operator",
    handler(_input, { idempotencyKey }) {
      keys.push(idempotencyKey);
      return { receipt: { action: "x", stage: "acknowledged" } };
    },
  });
  const dispatcher: Dispatcher = createDispatcher({
    toolsets: [createToolFinder({ dispatcher: () => dispatcher }), { name: "arithmetic", tools: [add, bump] }],
    door,
    clock,
    log: silentLog,
  });
  const call = (tool: string, args: unknown, caller = operator) =>
    dispatcher.call({ tool, arguments: args, caller, view: { kind: "essential" } });
  return { dispatcher, call, keys };
}

// @proves steading.address.essential-has-find-describe-call
test("the three are in the essential list", () => {
  const { dispatcher } = dispatching();
  expect(dispatcher.tools({ kind: "essential" }, "viewer").map(({ name }) => name)).toEqual([
    "call_tool",
    "describe_tool",
    "find_tools",
  ]);
});

test("tools are found by words, and only those that the caller may see", async () => {
  const { call } = dispatching();
  expect(await call("find_tools", { query: "adds NUMBERS" })).toMatchObject({
    structured: { tools: [{ name: "add_numbers", intent: "READ_ONLY" }], count: 1, total: 1, cut: false },
  });
  expect(await call("find_tools", {}, viewer)).toMatchObject({ structured: { total: 1 } });
  expect(await call("find_tools", { limit: 1 })).toMatchObject({ structured: { count: 1, total: 2, cut: true } });
});

test("a tool is described with its schema; a near miss is told", async () => {
  const { call } = dispatching();
  expect(await call("describe_tool", { name: "add_numbers" })).toMatchObject({
    structured: { input_schema: { required: ["a", "b"] } },
  });
  expect(await call("describe_tool", { name: "add_number" })).toMatchObject({
    kind: "error",
    error: { code: "TOOL_UNKNOWN", message: expect.stringContaining("Did you mean add_numbers?") },
  });
  expect(await call("describe_tool", { name: "bump" }, viewer)).toMatchObject({ error: { code: "TOOL_UNKNOWN" } });
});

test("a tool outside the short list runs as the caller, with its own checks", async () => {
  const { call } = dispatching();
  expect(await call("call_tool", { name: "add_numbers", arguments: { a: 1, b: 2 } })).toMatchObject({
    structured: { tool: "add_numbers", answer: { sum: 3 } },
  });
  expect(await call("call_tool", { name: "add_numbers", arguments: { a: 1 } })).toMatchObject({
    error: { code: "INVALID_ARGUMENTS" },
  });
  expect(await call("call_tool", { name: "bump" }, viewer)).toMatchObject({ error: { code: "TOOL_UNKNOWN" } });
});

test("a key goes to the tool that is called, and its receipt comes to the top", async () => {
  const { call, keys } = dispatching();
  expect(await call("call_tool", { name: "bump", idempotency_key: "outer" })).toMatchObject({
    structured: { answer: {}, receipt: { stage: "acknowledged" } },
  });
  await call("call_tool", { name: "bump", arguments: { idempotency_key: "inner" }, idempotency_key: "outer" });
  expect(keys).toEqual(["outer", "inner"]);
});

test("the three do not call each other in circles", async () => {
  const { call } = dispatching();
  expect(await call("call_tool", { name: "call_tool", arguments: { name: "call_tool" } })).toMatchObject({
    error: { code: "TOOL_UNKNOWN" },
  });
});
