import { createServer as createHttp } from "node:http";
import type { AddressInfo } from "node:net";
import { inputRequired } from "@modelcontextprotocol/server";
import { createDispatcher, createManualClock, defineTool, millis, seconds, silentLog } from "@steading/kernel";
import * as z from "zod";
import { afterEach, expect, test } from "vitest";
import type { NativeTool } from "../native/native-tool.ts";
import { openEvents } from "../testing/event-stream.ts";
import { createHandDispatcher } from "../testing/hand-dispatcher.ts";
import { HAND_TOOLS } from "../testing/hand-tools.ts";
import { pick, post } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { createModernLeg } from "./modern.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function started(changes: Parameters<typeof startShell>[0]): Promise<TestShell> {
  const shell = await startShell(changes);
  closing.push(() => shell.close());
  return shell;
}

const inputSchema = { type: "object" as const };
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A 2026 leg by itself, in front of whatever builds its instances. */
async function legWith(build: Parameters<typeof createModernLeg>[0]["build"], bodyOf: () => object): Promise<string> {
  const log = silentLog;
  const leg = createModernLeg({
    build,
    info: { name: "leg", version: "1" },
    headerTools: new Map(),
    log,
    keepAliveMs: 15_000,
    unreadBytes: 1_000,
  });
  const identity = { principal: "anna", role: "admin", transport: "http" } as const;
  const window = { view: { kind: "all" }, names: "dotted" } as const;
  const seats = { claim: () => () => {}, giveBackWith() {} };
  const http = createHttp((req, res) => {
    req.resume().on("end", () => void leg.serve({ req, res, identity, token: undefined, window }, bodyOf(), seats));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => http.close(resolve)));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}
const asked = (method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params: { ...params, _meta: envelope },
});

// @proves mcp.errors.wiring-fault
test("a fault while an instance is built is answered with 500 and says nothing of its reason", async () => {
  const url = await legWith(
    () => {
      throw new Error("/secret/path");
    },
    () => asked("tools/list"),
  );
  const answer = await post(url, "tools/list");
  expect(answer).toMatchObject({ status: 500, body: { error: { code: -32603 } } });
  expect(answer.text).not.toContain("secret");
});

// @proves mcp.instance.body-not-reserialised
test("the parsed body reaches the SDK leg as it is: turning it into text again would be noticed", async () => {
  let texts = 0;
  const shell = await started({ hotPath: false });
  const before = JSON.stringify;
  JSON.stringify = function counted(this: void, value: unknown, ...rest: never[]) {
    if (typeof value === "object" && value !== null && "method" in value && value.method === "tools/call") texts++;
    return before(value, ...rest);
  } as typeof JSON.stringify;
  try {
    await post(shell.mcp, "tools/call", { name: "echo" }, { token: shell.admin });
  } finally {
    JSON.stringify = before;
  }
  expect(texts, "once, by the client of this test").toBe(1);
});

// @proves mcp.instance.cost-independent-of-tools
test("an instance that is asked for something else looks at no tool", async () => {
  let looked = 0;
  const inner = createHandDispatcher(...HAND_TOOLS);
  const dispatcher = {
    ...inner,
    get generation() {
      return inner.generation;
    },
    tools: (...given: Parameters<typeof inner.tools>) => {
      looked++;
      return inner.tools(...given);
    },
  };
  const shell = await started({ dispatcher });
  for (const method of ["server/discover", "prompts/list", "resources/list"])
    expect((await post(shell.mcp, method, {}, { token: shell.admin })).status).toBe(200);
  expect(looked).toBe(0);
});

// @proves mcp.pitfalls.capability-per-handler
test("each method that is answered has its capability advertised", async () => {
  const shell = await started({});
  shell.resources.put("test://doc/1", "one");
  const ask = (method: string, params = {}) => post(shell.mcp, method, params, { token: shell.admin });
  const advertised = pick<Record<string, unknown>>((await ask("server/discover")).body, "result", "capabilities");
  const methods: [string, string, Record<string, unknown>][] = [
    ["tools", "tools/list", {}],
    ["resources", "resources/list", {}],
    ["resources", "resources/templates/list", {}],
    ["resources", "resources/read", { uri: "test://doc/1" }],
    ["prompts", "prompts/list", {}],
    [
      "completions",
      "completion/complete",
      { ref: { type: "ref/prompt", name: "x" }, argument: { name: "a", value: "" } },
    ],
  ];
  for (const [capability, method, params] of methods) {
    expect(advertised, method).toHaveProperty(capability);
    expect(pick((await ask(method, params)).body, "result"), method).toBeDefined();
  }
});

const chatty: NativeTool = {
  definition: { name: "chatty", inputSchema },
  async call(_, { mcp }) {
    const progressToken = mcp.mcpReq._meta?.progressToken ?? 0;
    for (let progress = 1; progress <= 3; progress++) {
      await mcp.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress } });
      await mcp.mcpReq.log("info", `step ${progress}`);
    }
    return { content: [{ type: "text", text: "done" }] };
  },
};

function stream(shell: TestShell, name: string, meta: object = { progressToken: 7 }) {
  return openEvents(shell.mcp, {
    method: "POST",
    headers: {
      authorization: `Bearer ${shell.admin}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, _meta: { ...envelope, ...meta } },
    }),
  });
}

// @proves mcp.response.nothing-dropped
test("whatever is said before the result reaches the client, in order", async () => {
  const shell = await started({ conformance: true, natives: [chatty], logging: true });
  const events = await stream(shell, "chatty", { progressToken: 7, "io.modelcontextprotocol/logLevel": "debug" });
  const heard: unknown[] = [];
  for (let message = await events.message(); message !== undefined; message = await events.message())
    heard.push(pick(message, "params", "progress") ?? pick(message, "params", "data") ?? pick(message, "id"));
  expect(heard).toEqual([1, "step 1", 2, "step 2", 3, "step 3", 1]);
});

// @proves mcp.errors.capability-missing-on-open-stream
test("a missing capability that shows after the stream was opened is told on that stream", async () => {
  const asking: NativeTool = {
    definition: { name: "asking", inputSchema },
    async call(_, { mcp }) {
      await mcp.mcpReq.notify({ method: "notifications/progress", params: { progressToken: 7, progress: 1 } });
      return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
    },
  };
  const shell = await started({ conformance: true, natives: [asking] });
  const events = await stream(shell, "asking");
  expect(events.status).toBe(200);
  expect(await events.message()).toMatchObject({ method: "notifications/progress" });
  expect(await events.message()).toMatchObject({ id: 1, error: { code: -32021 } });
});

// @proves mcp.response.stream-keep-alive
test("a quiet stream carries comments", async () => {
  let release = (): void => {};
  const quiet: NativeTool = {
    definition: { name: "quiet", inputSchema },
    async call(_, { mcp }) {
      await mcp.mcpReq.notify({ method: "notifications/progress", params: { progressToken: 7, progress: 1 } });
      await new Promise<void>((resolve) => (release = resolve));
      return { content: [] };
    },
  };
  const shell = await started({ conformance: true, natives: [quiet], limits: { streamKeepAlive: millis(20) } });
  const events = await stream(shell, "quiet");
  await events.message();
  for (let comments = 0; comments < 2;) if ((await events.next())?.data === undefined) comments++;
  release();
  expect(await events.message()).toMatchObject({ id: 1 });
});

// @proves mcp.deadline.default mcp.tools.protocol-errors-only-for
test("a call that says nothing of its time ends after thirty seconds, as a result", async () => {
  const clock = createManualClock();
  const hang = defineTool({
    name: "hang",
    title: "Hang",
    summary: "Never answers.",
    input: z.object({}),
    intent: "READ_ONLY",
    minimumRole: "viewer",
    handler: () => new Promise<object>(() => {}),
  });
  const door = { perform: () => Promise.reject(new Error("no door")) };
  const dispatcher = createDispatcher({ toolsets: [{ name: "t", tools: [hang] }], door, clock, log: silentLog });
  const shell = await started({ dispatcher, clock });
  const running = post(shell.mcp, "tools/call", { name: "hang" }, { token: shell.admin });
  await expect.poll(() => dispatcher.counters.running).toBe(1);
  await clock.advance(seconds(29));
  expect(dispatcher.counters.running).toBe(1);
  await clock.advance(seconds(1));
  const answer = await running;
  expect(answer).toMatchObject({ status: 200, body: { result: { isError: true } } });
  expect(JSON.parse(pick(answer.body, "result", "content", 0, "text"))).toMatchObject({ code: "TIMEOUT" });
});

// @proves mcp.tools.success-text
test("the text of a success is the same JSON as its structured content, or the tool's own words", async () => {
  const spec = { title: "T", summary: "T.", input: z.object({}), intent: "READ_ONLY", minimumRole: "viewer" } as const;
  const tools = [
    defineTool({ ...spec, name: "same", handler: () => ({ a: [1, { b: null }] }) }),
    defineTool({ ...spec, name: "own", text: () => "[1]", handler: () => ({ list: [1] }) }),
  ];
  const door = { perform: () => Promise.reject(new Error("no door")) };
  const clock = createManualClock();
  const dispatcher = createDispatcher({ toolsets: [{ name: "t", tools }], door, clock, log: silentLog });
  const shell = await started({ dispatcher });
  const call = async (name: string) => (await post(shell.mcp, "tools/call", { name }, { token: shell.admin })).body;
  const same = await call("same");
  expect(JSON.parse(pick(same, "result", "content", 0, "text"))).toEqual(pick(same, "result", "structuredContent"));
  expect(await call("own")).toMatchObject({
    result: { structuredContent: { list: [1] }, content: [{ type: "text", text: "[1]" }] },
  });
});
