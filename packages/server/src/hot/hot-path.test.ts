import { seconds } from "@steading/kernel";
import * as z from "zod";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHandDispatcher, type HandTool } from "../testing/hand-dispatcher.ts";
import { HAND_TOOLS } from "../testing/hand-tools.ts";
import { post, send, type Posted, type PostOptions } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

const TOOLS: readonly HandTool[] = [
  ...HAND_TOOLS,
  { name: "typed", output: z.object({ n: z.number() }), run: () => ({ n: 1 }) },
  {
    name: "numbers",
    input: z.object({ list: z.array(z.number()) }),
    run: (input) => ({ sum: (input["list"] as number[]).reduce((a, b) => a + b, 0) }),
  },
  { name: "unicode", run: () => ({ text: "ä\u2028\u0000😀" }) },
  {
    name: "crash",
    run() {
      throw new Error("a secret");
    },
  },
];

let hot: TestShell;
let cold: TestShell;
beforeAll(async () => {
  const limits = { toolsPerPage: 5 };
  [hot, cold] = await Promise.all([
    startShell({ limits, dispatcher: createHandDispatcher(...TOOLS) }),
    startShell({ limits, dispatcher: createHandDispatcher(...TOOLS), hotPath: false }),
  ]);
});
afterAll(() => Promise.all([hot.close(), cold.close()]));

const served = (): number => Number(/hot_path_total (\d+)/.exec(hot.server.metrics())?.[1]);

/** What a client can tell apart. Log references differ from call to call. */
function visible({ status, headers, body }: Posted): unknown {
  const shown = JSON.parse(JSON.stringify(body ?? null).replace(/\b[0-9a-f]{12}\b/g, "REF")) as unknown;
  return { status, type: headers.get("content-type"), body: shown };
}

async function onBoth(
  method: string,
  params: Record<string, unknown>,
  options: PostOptions = {},
  path = "/mcp",
): Promise<{ taken: boolean; answers: [unknown, unknown] }> {
  const before = served();
  const a = await post(`${hot.url}${path}`, method, params, { token: hot.admin, ...options });
  const b = await post(`${cold.url}${path}`, method, params, { token: cold.admin, ...options });
  return { taken: served() > before, answers: [visible(a), visible(b)] };
}

const PLAIN: [string, Record<string, unknown>, PostOptions?, string?][] = [
  ["tools/list", {}],
  ["tools/list", { cursor: Buffer.from("1:5").toString("base64url") }],
  ["tools/list", {}, {}, "/mcp/essential"],
  ["tools/list", {}, {}, "/mcp?names=safe"],
  ["tools/call", { name: "echo" }],
  ["tools/call", { name: "echo", arguments: { text: "hi" } }],
  ["tools/call", { name: "echo", arguments: { text: 5 } }],
  ["tools/call", { name: "echo", arguments: { other: 1 } }],
  ["tools/call", { name: "echo", unknown: true }],
  ["tools/call", { name: "typed" }],
  ["tools/call", { name: "numbers", arguments: { list: [1, 2, 3] } }],
  ["tools/call", { name: "unicode" }],
  ["tools/call", { name: "refuse" }],
  ["tools/call", { name: "crash" }],
  [
    "tools/call",
    { name: "who.am.i" },
    { meta: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" } },
  ],
  ["tools/call", { name: "who.am.i" }, { id: 'a "string"' }],
  ["tools/call", { name: "who_am_i" }, {}, "/mcp?names=safe"],
  ["tools/call", { name: "count" }, { meta: { "io.modelcontextprotocol/clientInfo": undefined } }],
];

// @proves mcp.hot-path.differential mcp.result.server-info-hot-path mcp.hot-path.on-by-default mcp.hot-path.switchable
test.each(PLAIN)("%s with %j is taken, and answered as the SDK leg would", async (method, params, options, path) => {
  const { taken, answers } = await onBoth(method, params, options, path);
  expect(taken).toBe(true);
  expect(answers[0]).toEqual(answers[1]);
});

const NOT_PLAIN: [string, string, Record<string, unknown>, PostOptions?][] = [
  ["an unknown cursor", "tools/list", { cursor: "nonsense" }],
  ["a cursor that is no string", "tools/list", { cursor: 5 }],
  ["an unknown tool", "tools/call", { name: "nobody" }],
  ["a tool that changes something", "tools/call", { name: "operate" }],
  ["arguments that are no object", "tools/call", { name: "echo", arguments: [1] }],
  ["no name", "tools/call", {}],
  ["another name in the header", "tools/call", { name: "echo" }, { headers: { "mcp-name": "count" } }],
  ["an encoded name in the header", "tools/call", { name: "echo" }, { headers: { "mcp-name": "=?base64?ZWNobw==?=" } }],
  ["another method in the header", "tools/call", { name: "echo" }, { headers: { "mcp-method": "tools/list" } }],
  ["no version header", "tools/list", {}, { headers: { "mcp-protocol-version": undefined } }],
  ["another version", "tools/list", {}, { version: "2027-01-01" }],
  ["capabilities that are no object", "tools/list", {}, { capabilities: [] }],
  [
    "client info without a version",
    "tools/list",
    {},
    { meta: { "io.modelcontextprotocol/clientInfo": { name: "x" } } },
  ],
  ["a progress token", "tools/call", { name: "echo" }, { meta: { progressToken: 0 } }],
  ["a log level", "tools/call", { name: "echo" }, { meta: { "io.modelcontextprotocol/logLevel": "info" } }],
  ["input responses", "tools/call", { name: "echo", inputResponses: {} }],
  ["a request state", "tools/call", { name: "echo", requestState: "x" }],
  ["another method", "resources/list", {}],
];

// @proves mcp.hot-path.scope mcp.hot-path.headers-byte-equal mcp.hot-path.exact-version mcp.hot-path.capabilities-object mcp.hot-path.client-info-shape mcp.hot-path.no-input-round mcp.hot-path.no-progress-or-log mcp.hot-path.arguments-kind mcp.hot-path.errors-from-sdk-leg mcp.order.hot-path-no-side-effects mcp.request.header-values-base64
test.each(NOT_PLAIN)("%s is left to the SDK leg", async (_, method, params, options) => {
  const { taken, answers } = await onBoth(method, params, options);
  expect(taken).toBe(false);
  expect(answers[0]).toEqual(answers[1]);
});

// @proves mcp.hot-path.json-rpc-version mcp.hot-path.id-kind
test.each([{ jsonrpc: "1.0" }, { id: 1.5 }, { id: null }, { id: undefined }, { params: null }, { params: [] }])(
  "a message with %j is left to the SDK leg",
  async (change) => {
    const params = {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params, ...change });
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
    const before = served();
    const a = await send(hot.mcp, body, { ...headers, authorization: `Bearer ${hot.admin}` });
    const b = await send(cold.mcp, body, { ...headers, authorization: `Bearer ${cold.admin}` });
    expect(served()).toBe(before);
    expect(visible(a)).toEqual(visible(b));
  },
);

// @proves mcp.hot-path.lists-per-role mcp.hot-path.lists-per-generation
test("each role gets its own pages, and a change is in the next list", async () => {
  const dispatcher = createHandDispatcher(...HAND_TOOLS);
  const shell = await startShell({ dispatcher });
  const list = async (token: string) => (await post(shell.mcp, "tools/list", {}, { token })).text;
  expect(await list(shell.admin)).toContain('"operate"');
  expect(await list(shell.viewer)).not.toContain('"operate"');
  dispatcher.add({ name: "extra", run: () => ({}) });
  expect(await list(shell.viewer)).toContain('"extra"');
  await shell.close();
});

// @proves mcp.hot-path.plain-tools
test("a tool with a long deadline is never taken, and one that was seen to be slow is taken no more", async () => {
  const gate = { open: (): void => {} };
  const dispatcher = createHandDispatcher(
    { name: "patient", deadline: seconds(10), run: () => ({}) },
    { name: "slow", run: () => new Promise((resolve) => (gate.open = () => resolve({}))) },
  );
  const shell = await startShell({ dispatcher });
  const taken = () => Number(/hot_path_total (\d+)/.exec(shell.server.metrics())?.[1]);
  const call = (name: string) => post(shell.mcp, "tools/call", { name }, { token: shell.admin });
  await call("patient");
  expect(taken()).toBe(0);
  const first = call("slow");
  await expect.poll(() => dispatcher.calls.length).toBe(2);
  await shell.clock.advance(seconds(2));
  gate.open();
  await first;
  expect(taken()).toBe(1);
  const second = call("slow");
  await expect.poll(() => dispatcher.calls.length).toBe(3);
  gate.open();
  expect(await second).toMatchObject({ status: 200 });
  expect(taken()).toBe(1);
  await shell.close();
});
