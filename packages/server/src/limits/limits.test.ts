import { request, type IncomingMessage, type Server } from "node:http";
import { connect } from "node:net";
import { createManualClock, seconds } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { createConnectionCount } from "../http/connection-count.ts";
import { createEdgeCounters } from "../http/edge-counters.ts";
import { startHttpListener } from "../http/http-listener.ts";
import { pick, post, send } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { createCallRate } from "./call-rate.ts";
import { callsIn, createCallSeats } from "./call-seats.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { createPlaces } from "./places.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

/** A call that is running, and how to give it up. */
async function hold(at: TestShell, token: string): Promise<() => void> {
  const before = at.dispatcher.calls.length;
  const aborter = new AbortController();
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const running = fetch(at.mcp, {
    method: "POST",
    signal: aborter.signal,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "wait",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait", _meta } }),
  });
  running.catch(() => {});
  await expect.poll(() => at.dispatcher.calls.length).toBe(before + 1);
  return () => aborter.abort();
}

// @proves mcp.limits.concurrent-per-principal
test("a principal's calls are bounded, and a place is free again when a call ends", async () => {
  shell = await startShell({ limits: { callsPerPrincipal: 2 } });
  const giveUp = await hold(shell, shell.admin);
  await hold(shell, shell.admin);
  const refused = await post(shell.mcp, "tools/call", { name: "echo" }, { token: shell.admin });
  expect(refused).toMatchObject({ status: 429, body: { id: 1, error: { code: -32000 } } });
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await post(shell.mcp, "tools/list", {}, { token: shell.admin })).toMatchObject({ status: 200 });
  expect(await post(shell.mcp, "tools/call", { name: "echo" }, { token: shell.viewer })).toMatchObject({ status: 200 });
  giveUp();
  await expect
    .poll(
      async () => (await post(shell?.mcp ?? "", "tools/call", { name: "echo" }, { token: shell?.admin ?? "" })).status,
    )
    .toBe(200);
});

// @proves mcp.limits.concurrent-total
test("all calls together are bounded", async () => {
  shell = await startShell({ limits: { calls: 1 } });
  await hold(shell, shell.admin);
  expect(await post(shell.mcp, "tools/call", { name: "echo" }, { token: shell.viewer })).toMatchObject({ status: 429 });
});

test("a 2025 call keeps its place after its client has hung up, until it really ends", async () => {
  shell = await startShell({ limits: { callsPerPrincipal: 1 } });
  let finish = (): void => {};
  shell.dispatcher.add({ name: "later", run: () => new Promise((resolve) => (finish = () => resolve({}))) });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const headers = {
    authorization: `Bearer ${shell.admin}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  const opened = await send(
    shell.mcp,
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    headers,
  );
  const session = { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const aborter = new AbortController();
  const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "later" } });
  await fetch(shell.mcp, { method: "POST", headers: session, body, signal: aborter.signal });
  await expect.poll(() => shell?.dispatcher.calls.length).toBe(1);
  aborter.abort();
  expect(await post(shell.mcp, "tools/call", { name: "echo" }, { token: shell.admin })).toMatchObject({ status: 429 });
  finish();
  await expect
    .poll(
      async () => (await post(shell?.mcp ?? "", "tools/call", { name: "echo" }, { token: shell?.admin ?? "" })).status,
    )
    .toBe(200);
});

test("a batch takes as many places as it holds calls, or none", () => {
  const places = createPlaces({ total: 3, perPrincipal: 3 });
  const seats = createCallSeats({
    places,
    urgent: createPlaces({ total: 1, perPrincipal: 1 }),
    strangers: createPlaces({ total: 1, perPrincipal: 1 }),
    rate: createCallRate({ clock: createManualClock(), perSecond: 1, burst: 1 }),
  });
  const req = { socket: { remoteAddress: "127.0.0.1" } } as unknown as IncomingMessage; // all that is looked at
  const call = { method: "tools/call" };
  expect(callsIn([call, { method: "ping" }, call, 5, null])).toBe(2);
  expect(seats.reserve({ principal: "a", calls: 4, req })).toEqual({ retryAfter: 1 });
  expect(places.taken).toBe(0);
  seats.reserve({ principal: "a", calls: 3, req });
  expect(places.taken).toBe(3);
});

// @proves mcp.limits.call-rate
test("a principal may burst, then gets its calls at the set pace", async () => {
  const clock = createManualClock();
  const rate = createCallRate({ clock, perSecond: 50, burst: 100 });
  for (let i = 0; i < 100; i++) expect(rate.spend("a")).toBe(0);
  expect(rate.spend("a")).toBe(1);
  expect(rate.spend("b")).toBe(0);
  await clock.advance(seconds(1));
  for (let i = 0; i < 50; i++) expect(rate.spend("a")).toBe(0);
  expect(rate.spend("a")).toBe(1);
});

// @proves mcp.limits.call-rate-remote-only
test("callers on this machine have no pace set", async () => {
  shell = await startShell({ limits: { callsPerSecond: 1, callBurst: 1 } });
  for (let i = 0; i < 5; i++)
    expect(await post(shell.mcp, "tools/call", { name: "echo" }, { token: shell.admin })).toMatchObject({
      status: 200,
    });
});

// @proves mcp.limits.request-body
test("a body of exactly 4 MiB is taken, one byte more is not", async () => {
  shell = await startShell();
  const body = (size: number) => `"${"x".repeat(size - 2)}"`;
  const headers = { authorization: `Bearer ${shell.admin}` };
  expect(await send(shell.mcp, body(4 * 1024 * 1024), headers)).toMatchObject({ status: 400 });
  expect(await send(shell.mcp, body(4 * 1024 * 1024 + 1), headers)).toMatchObject({ status: 413 });
});

test("a body without a declared length is cut off at the limit too", async () => {
  shell = await startShell({ limits: { bodyBytes: 1_000 } });
  const { port } = new URL(shell.url);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request(
      {
        port,
        host: "127.0.0.1",
        path: "/mcp",
        method: "POST",
        headers: {
          authorization: `Bearer ${shell?.admin}`,
          "content-type": "application/json",
          "transfer-encoding": "chunked",
        },
      },
      resolve,
    );
    asked.on("error", reject);
    asked.end(`"${"x".repeat(2_000)}"`);
  });
  expect(answer.statusCode).toBe(413);
  answer.resume();
});

// @proves mcp.limits.header-size
test("headers over 16 KiB are refused", async () => {
  shell = await startShell();
  expect(await send(`${shell.url}/health`, undefined, { "x-long": "x".repeat(17 * 1024) }, "GET")).toMatchObject({
    status: 431,
  });
});

// @proves mcp.guard.host-missing
test("a request without Host is answered 400", async () => {
  shell = await startShell();
  const { port } = new URL(shell.url);
  const text = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write("GET /health HTTP/1.1\r\n\r\n"));
    socket.once("data", (data) => {
      socket.destroy();
      resolve(data.toString());
    });
  });
  expect(text).toMatch(/^HTTP\/1.1 400/);
});

// @proves mcp.limits.header-timeout mcp.limits.request-timeout mcp.limits.keep-alive-timeout
test("the listener's time-outs are the contract's", async () => {
  let seen: Pick<Server, "headersTimeout" | "requestTimeout" | "keepAliveTimeout"> | undefined;
  const edge = createEdgeCounters();
  const listener = await startHttpListener({
    at: { host: "127.0.0.1", port: 0 },
    limits: DEFAULT_LIMITS,
    edge,
    connections: createConnectionCount({ edge, ...DEFAULT_LIMITS }),
    onRequest(req, res) {
      seen = (req.socket as unknown as { readonly server: NonNullable<typeof seen> }).server; // node keeps it there
      res.end();
    },
  });
  await fetch(listener.url);
  expect(seen).toMatchObject({ headersTimeout: 20_000, requestTimeout: 60_000, keepAliveTimeout: 75_000 });
  await listener.close();
});

// @proves mcp.limits.result-text kernel.journey.question-size-budget
test("a long text is cut and linked to a resource with the whole, for its caller alone", async () => {
  shell = await startShell({ limits: { resultTextBytes: 1_000 } });
  shell.dispatcher.add({ name: "long", run: () => ({ text: "ä".repeat(2_000) }) });
  const answer = await post(shell.mcp, "tools/call", { name: "long" }, { token: shell.admin });
  const result = pick<Record<string, unknown>>(answer.body, "result");
  expect(result).not.toHaveProperty("structuredContent");
  expect(Buffer.byteLength(pick<string>(result, "content", 0, "text"))).toBeLessThanOrEqual(1_000);
  const uri = pick<string>(result, "content", 1, "uri");
  const whole = await post(shell.mcp, "resources/read", { uri }, { token: shell.admin });
  expect(JSON.parse(pick(whole.body, "result", "contents", 0, "text"))).toEqual({ text: "ä".repeat(2_000) });
  expect(await post(shell.mcp, "resources/read", { uri }, { token: shell.viewer })).toMatchObject({
    body: { error: { code: -32602 } },
  });
  await shell.clock.advance(seconds(600));
  expect(await post(shell.mcp, "resources/read", { uri }, { token: shell.admin })).toMatchObject({
    body: { error: { code: -32602 } },
  });
});

test("a tool that declares its output answers an error with the link, since half an output would be a lie", async () => {
  const { z } = await import("zod");
  shell = await startShell({ limits: { resultTextBytes: 1_000 } });
  shell.dispatcher.add({
    name: "long",
    output: z.object({ text: z.string() }),
    run: () => ({ text: "x".repeat(2_000) }),
  });
  const answer = await post(shell.mcp, "tools/call", { name: "long" }, { token: shell.admin });
  expect(answer).toMatchObject({ body: { result: { isError: true } } });
  expect(JSON.parse(pick(answer.body, "result", "content", 0, "text"))).toMatchObject({
    code: "RESULT_TOO_LARGE",
    resources: [expect.stringContaining("steading://results/")],
  });
});

test("results that gave way to later ones before their time are counted", async () => {
  shell = await startShell({ limits: { resultTextBytes: 1_000, keptResultBytes: 5_000 } });
  shell.dispatcher.add({ name: "long", run: () => ({ text: "x".repeat(2_000) }) });
  for (let i = 0; i < 3; i++) await post(shell.mcp, "tools/call", { name: "long" }, { token: shell.admin });
  expect(shell.server.metrics()).toContain("steading_mcp_kept_results_evicted_total 1\n");
});
