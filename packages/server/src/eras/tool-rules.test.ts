import { seconds, SteadingError } from "@steading/kernel";
import * as z from "zod";
import { afterEach, expect, test } from "vitest";
import { openEvents } from "../testing/event-stream.ts";
import { pick, post, type PostOptions } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

const call = (at: TestShell, name: string, given?: unknown, options: PostOptions = {}) =>
  post(
    at.mcp,
    "tools/call",
    { name, ...(given === undefined ? {} : { arguments: given }) },
    { token: at.admin, ...options },
  );

// @proves mcp.tools.definition mcp.tools.root-object-schema mcp.tools.no-argument-schema mcp.lists.name-rule
test("a listed tool has what clients rely on", async () => {
  shell = await startShell();
  const { body } = await post(shell.mcp, "tools/list", {}, { token: shell.admin });
  const tools = pick<{ name: string; description: string; inputSchema: Record<string, unknown> }[]>(
    body,
    "result",
    "tools",
  );
  for (const tool of tools) {
    expect(tool.name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
    expect(tool.description).not.toBe("");
    expect(tool.inputSchema).toMatchObject({ type: "object" });
  }
  expect(tools.find(({ name }) => name === "who.am.i")?.inputSchema).toMatchObject({
    type: "object",
    additionalProperties: false,
  });
});

// @proves mcp.tools.arguments-absent
test("a call without arguments is checked as if they were empty", async () => {
  shell = await startShell();
  shell.dispatcher.add({ name: "strict", input: z.object({ n: z.number() }), run: () => ({}) });
  const [absent, empty] = [await call(shell, "strict"), await call(shell, "strict", {})];
  expect(absent.body).toEqual(empty.body);
  expect(absent).toMatchObject({ body: { result: { isError: true } } });
});

// @proves mcp.pitfalls.exception-text-hidden
test("the text of an unexpected exception stays at home, in tools and in documents", async () => {
  const broken = { scheme: "broken", list: () => [], read: () => Promise.reject(new Error("/secret/path")) };
  shell = await startShell({ resources: [broken] });
  shell.dispatcher.add({
    name: "crash",
    run() {
      throw new Error("/secret/path");
    },
  });
  const answers = [
    await call(shell, "crash"),
    await post(shell.mcp, "resources/read", { uri: "broken://x" }, { token: shell.admin }),
  ];
  expect(answers[0]).toMatchObject({ status: 200, body: { result: { isError: true } } });
  expect(answers[1]).toMatchObject({ status: 200, body: { error: { code: -32603 } } });
  for (const { text } of answers) expect(text).not.toContain("secret");
});

// @proves mcp.errors.handler-fault mcp.pitfalls.errors-reported
test("a fault inside a handler is an internal error to the client and the whole story to the log", async () => {
  const logged: unknown[] = [];
  const log = { debug() {}, info() {}, warn() {}, error: (_: string, cause?: unknown) => void logged.push(cause) };
  const broken = { scheme: "broken", list: () => [], read: () => Promise.reject(new Error("why")) };
  shell = await startShell({ resources: [broken], log });
  expect(await post(shell.mcp, "resources/read", { uri: "broken://x" }, { token: shell.admin })).toMatchObject({
    status: 200,
    body: { error: { code: -32603 } },
  });
  expect(logged).toEqual([expect.objectContaining({ message: "why" })]);
});

// @proves mcp.instance.output-validation
test("an answer that does not fit its declared output is not sent as a success", async () => {
  shell = await startShell();
  shell.dispatcher.add({ name: "wrong", output: z.object({ n: z.number() }), run: () => ({ n: "one" }) });
  const answer = await call(shell, "wrong");
  expect(answer).toMatchObject({ body: { result: { isError: true } } });
  expect(pick(answer.body, "result")).not.toHaveProperty("structuredContent");
});

// @proves mcp.limits.argument-elements
test("more than ten thousand values in one call are refused", async () => {
  shell = await startShell();
  shell.dispatcher.add({ name: "list", input: z.object({ list: z.array(z.number()) }), run: () => ({}) });
  expect(await call(shell, "list", { list: Array.from({ length: 9_999 }, () => 1) })).toMatchObject({
    body: { result: { structuredContent: {} } },
  });
  expect(await call(shell, "list", { list: Array.from({ length: 10_000 }, () => 1) })).toMatchObject({
    body: { result: { isError: true } },
  });
});

// @proves mcp.tools.annotations-not-access
test("who may call a tool is decided by its role, whatever its annotations say", async () => {
  shell = await startShell();
  const { body } = await post(shell.mcp, "tools/list", {}, { token: shell.admin });
  const operate = pick<{ name: string; annotations: object }[]>(body, "result", "tools").find(
    ({ name }) => name === "operate",
  );
  expect(operate?.annotations).toMatchObject({ readOnlyHint: false });
  expect(await call(shell, "operate", {}, { token: shell.viewer })).toMatchObject({
    body: { error: { code: -32602 } },
  });
  expect(await call(shell, "operate")).toMatchObject({ body: { result: { structuredContent: { operated: true } } } });
});

// @proves mcp.tools.description-change-notified
test("a description that speaks of live things raises a list change when they change", async () => {
  shell = await startShell();
  let weather = "sunny";
  shell.dispatcher.add({ name: "weather", description: () => weather, run: () => ({}) });
  await shell.clock.advance(seconds(10));
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const events = await openEvents(shell.mcp, {
    method: "POST",
    headers: {
      authorization: `Bearer ${shell.admin}`,
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true }, _meta },
    }),
  });
  await events.message();
  weather = "rain";
  shell.dispatcher.touch();
  expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
  expect((await post(shell.mcp, "tools/list", {}, { token: shell.admin })).text).toContain("rain");
});

// @proves mcp.lists.order-survives-reconnect
test("a tool that leaves and returns is where it was", async () => {
  shell = await startShell();
  const list = async () =>
    (await post((shell as TestShell).mcp, "tools/list", {}, { token: (shell as TestShell).admin })).text;
  const before = await list();
  shell.dispatcher.remove("count");
  expect(await list()).not.toBe(before);
  const { HAND_TOOLS } = await import("../testing/hand-tools.ts");
  shell.dispatcher.add(...HAND_TOOLS.filter(({ name }) => name === "count"));
  expect(await list()).toBe(before);
});

// @proves mcp.progress.increasing mcp.progress.rate mcp.progress.result-complete-without mcp.listen.no-progress-or-log
test("progress only grows, at most five times a second, and the result does without it", async () => {
  shell = await startShell();
  const { clock } = shell;
  shell.dispatcher.add({
    name: "steps",
    async run(_, { progress }) {
      for (const done of [1, 2, 2, 1, 3]) {
        progress(done, 3);
        await clock.advance(seconds(0.2));
      }
      for (const done of [4, 5, 6]) progress(done, 6);
      return { done: 6 };
    },
  });
  const answer = await call(shell, "steps", {}, { meta: { progressToken: "" } });
  const told = [...answer.text.matchAll(/"progress":(\d+)/g)].map(([, done]) => Number(done));
  expect(told).toEqual([1, 2, 3, 4]);
  expect(answer.body).toMatchObject({ result: { structuredContent: { done: 6 } } });
});

// @proves mcp.cancel.signal-reaches-device
test("a cancelled call's signal reaches the tool", async () => {
  shell = await startShell();
  let reached = false;
  shell.dispatcher.add({
    name: "device",
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reached = true;
          reject(new SteadingError("CANCELLED", "Cancelled."));
        });
      }),
  });
  const aborter = new AbortController();
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const running = fetch(shell.mcp, {
    method: "POST",
    signal: aborter.signal,
    headers: {
      authorization: `Bearer ${shell.admin}`,
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "device",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "device", _meta } }),
  });
  running.catch(() => {});
  await expect.poll(() => shell?.dispatcher.calls.length).toBe(1);
  aborter.abort();
  await expect.poll(() => reached).toBe(true);
});
