import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import * as z from "zod";
import { createFindToolset } from "../find/find-toolset.ts";
import { createBarnPart } from "../testing/barn-part.ts";
import type { HandTool } from "../testing/hand-dispatcher.ts";
import { post, send } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

/** Off is urgent, on is not; neither ends by itself when it is told to hang. */
const SWITCH: HandTool = {
  name: "switch.lamp",
  intent: "MUTATE",
  input: z.object({ on: z.boolean(), hang: z.boolean().default(false) }),
  urgent: ({ on }) => on === false,
  run: ({ on, hang }) => (hang === true ? new Promise(() => {}) : { on: on === true }),
};

async function start(...given: Parameters<typeof startShell>) {
  const started = await startShell(...given);
  shell = started;
  started.dispatcher.add(SWITCH);
  const ask = (name: string, given: object = {}, token = started.admin) =>
    post(started.mcp, "tools/call", { name, arguments: given }, { token });
  async function hang(name: string, given: object = {}): Promise<void> {
    const before = started.dispatcher.calls.length;
    ask(name, given).catch(() => {});
    await expect.poll(() => started.dispatcher.calls.length).toBe(before + 1);
  }
  return { shell: started, ask, hang };
}

test("what makes things safe finds a seat when all of the caller's are taken", async () => {
  const { ask, hang } = await start({ limits: { callsPerPrincipal: 1 } });
  await hang("wait");
  expect(await ask("switch.lamp", { on: true })).toMatchObject({ status: 429 });
  expect(await ask("switch.lamp", { on: "nonsense" })).toMatchObject({ status: 429 });
  expect(await ask("echo")).toMatchObject({ status: 429 });
  expect(await ask("switch.lamp", { on: false })).toMatchObject({
    status: 200,
    body: { result: { structuredContent: { on: false } } },
  });
});

test("and when the seats of all callers together are taken", async () => {
  const { shell: at, ask, hang } = await start({ limits: { calls: 1 } });
  await hang("wait");
  expect(await ask("switch.lamp", { on: false }, at.viewer)).toMatchObject({ status: 200 });
});

test("the seats kept for it are bounded too", async () => {
  const {
    shell: at,
    ask,
    hang,
  } = await start({
    limits: { callsPerPrincipal: 1, urgentCallsPerPrincipal: 2, urgentCalls: 3 },
  });
  await hang("wait");
  for (let i = 0; i < 2; i++) await hang("switch.lamp", { on: false, hang: true });
  expect(await ask("switch.lamp", { on: false })).toMatchObject({ status: 429 });
  expect(await ask("switch.lamp", { on: false }, at.viewer)).toMatchObject({ status: 200 });
  expect(at.server.metrics()).toContain("steading_mcp_urgent_calls 2\n");
  expect(at.server.metrics()).toContain("steading_mcp_urgent_calls_refused_total 1\n");
});

test("no pace is set for it", async () => {
  const { ask } = await start({ limits: { callsPerSecond: 1, callBurst: 1 } }, { trustedProxy: true });
  expect(await ask("echo")).toMatchObject({ status: 200 });
  expect(await ask("echo")).toMatchObject({ status: 429 });
  for (let i = 0; i < 3; i++) expect(await ask("switch.lamp", { on: false })).toMatchObject({ status: 200 });
  expect(await ask("switch.lamp", { on: true })).toMatchObject({ status: 429 });
});

test("a batch has as many of those seats as it has urgent calls", async () => {
  const { shell: at, hang } = await start({ limits: { callsPerPrincipal: 1 } });
  const headers = { authorization: `Bearer ${at.admin}` };
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const opened = await send(at.mcp, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }), headers);
  const session = { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  await hang("wait");
  const off = (id: number, on = false) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "switch.lamp", arguments: { on } },
  });
  expect(await send(at.mcp, JSON.stringify([off(1), off(2)]), session)).toMatchObject({ status: 200 });
  expect(await send(at.mcp, JSON.stringify([off(3), off(4, true)]), session)).toMatchObject({ status: 429 });
});

test("a line has such seats as well", async () => {
  const { shell: at } = await start({ limits: { callsPerPrincipal: 1 } });
  const [input, output] = [new PassThrough(), new PassThrough()];
  at.server.serveStdio({ input, output, caller: { principal: "parent", role: "admin" } });
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const say = (id: number, name: string, given: object) =>
    input.write(
      `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: given, _meta } })}\n`,
    );
  say(1, "wait", {});
  await expect.poll(() => at.dispatcher.calls.length).toBe(1);
  say(2, "switch.lamp", { on: false });
  expect(JSON.parse(String((await lines.next()).value))).toMatchObject({
    id: 2,
    result: { structuredContent: { on: false } },
  });
});

test("a tool that calls another one is as urgent as that", async () => {
  const { shell: at } = await start();
  const call = createFindToolset({ dispatcher: () => at.dispatcher }).tools.find(({ name }) => name === "call_tool");
  const asks = (on: boolean) => call?.isUrgent?.({ name: "switch.lamp", arguments: { on } });
  expect([asks(false), asks(true)]).toEqual([true, false]);
  expect(call?.isUrgent?.({ name: "nothing" })).toBe(false);
  expect(call?.isUrgent?.(undefined)).toBe(false);
});

test("a route may be urgent, always or by what it is asked for", async () => {
  const barn = createBarnPart();
  const { shell: at } = await start({ parts: [barn], limits: { callsPerPrincipal: 1, urgentCallsPerPrincipal: 1 } });
  const headers = { authorization: `Bearer ${at.viewer}`, "content-type": "application/json" };
  const ask = async (path: string, body: object) =>
    (await fetch(`${at.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).status;
  ask("/api/slow", {}).catch(() => {});
  await expect.poll(() => barn.slow.length).toBe(1);
  expect(await ask("/api/lamp", { on: true })).toBe(429);
  expect(await ask("/api/lamp", { on: "nonsense" })).toBe(429);
  expect(await ask("/api/lamp", { on: false })).toBe(200);
  expect(await ask("/api/stop", {})).toBe(200);
});
