import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSenseHubCore, type SenseHubCore } from "../sensehub-core/sensehub-core.ts";
import { createA64Client, type A64Client, type A64ClientOptions } from "./a64-client.ts";
import { seenAlert, seenEquipment } from "./seen-rows.ts";

const HOUR = 3_600_000;
const NOBODY = "http://127.0.0.1:9"; // the discard port, where nothing listens

let core: SenseHubCore;
let url: string;
const servers: Server[] = [];
beforeEach(async () => {
  core = createSenseHubCore();
  url = await core.start();
});
afterEach(async () => {
  await core.stop();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

function client(options: Partial<A64ClientOptions> = {}): A64Client {
  return createA64Client({
    core: url,
    mcp: NOBODY,
    email: "operator@sensehub.example",
    password: "hoe by the door",
    ...options,
  });
}

test("one login serves many calls, each on a connection of its own", async () => {
  const a64 = client();
  expect((await a64.http.equipment()).map(seenEquipment)).toMatchObject([
    { id: 3, name: "Gate Board" },
    { id: 1, type: "sensor", status: "online" },
    { id: 2, name: "Pump Board" },
  ]);
  expect((await a64.http.alerts({ acknowledged: false })).map(seenAlert)).toEqual([
    { id: 1, severity: "warning", message: "Humidity above 60 %", acknowledged: 0 },
  ]);
  expect(a64.http.logins).toBe(1);
  expect(a64.exchanges.map(({ connection }) => connection)).toEqual([1, 2, 3]);
  expect(core.requests.at(-1)).toMatchObject({ method: "GET", url: "/api/alerts?acknowledged=false" });
});

test("a refused token is renewed once, and the question asked again on the same connection", async () => {
  const a64 = client();
  await a64.http.automations();
  core.expireSessions();
  await expect(a64.http.automations()).resolves.toHaveLength(2);
  expect(a64.exchanges.map(({ status, connection }) => [status, connection])).toEqual([
    [200, 1],
    [200, 2],
    [401, 3],
    [200, 4],
    [200, 3],
  ]);
});

test("a token that is refused twice is a failure", async () => {
  const a64 = client();
  core.knobs.failWith = 401;
  await expect(a64.http.automations()).rejects.toMatchObject({ status: 401 });
});

test("a token is renewed half an hour before its eight hours are over", async () => {
  let now = 0;
  const a64 = client({ now: () => now });
  await a64.http.automations();
  now = 7.5 * HOUR - 1;
  await a64.http.automations();
  expect(a64.http.logins).toBe(1);
  now = 7.5 * HOUR;
  await a64.http.automations();
  expect(a64.http.logins).toBe(2);
});

test("what the core drops or garbles is a failure of the call", async () => {
  const a64 = client();
  await a64.http.login();
  core.knobs.down = true;
  await expect(a64.http.equipment()).rejects.toMatchObject({ kind: "read" });
  core.knobs.reset();
  core.knobs.garbage = true;
  await expect(a64.http.equipment()).rejects.toThrow(SyntaxError);
  await core.stop();
  await expect(a64.http.equipment()).rejects.toMatchObject({ kind: "connect" });
});

interface Step {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Answers one after the other, and remembers what came. */
async function scriptedServer(steps: readonly Step[]) {
  const seen: { body: string; headers: Readonly<Record<string, unknown>> }[] = [];
  const script = [...steps];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => {
      body += piece.toString("utf8");
    });
    request.on("end", () => {
      seen.push({ body, headers: request.headers });
      const { status = 200, headers = {}, body: text = "" } = script.shift() ?? { status: 500 };
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
    });
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { mcp: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const opened = (id: string): readonly Step[] => [
  { headers: { "Mcp-Session-Id": id }, body: '{"jsonrpc":"2.0","id":1,"result":{}}' },
  { status: 202 },
];
const result = (text: string) =>
  JSON.stringify({ jsonrpc: "2.0", id: 2, result: { content: [{ type: "image" }, { type: "text", text }] } });

test("a call over MCP is initialize, initialized and tools/call, in these words", async () => {
  const { mcp, seen } = await scriptedServer([...opened("s1"), { body: result('[{"id":7}]') }]);
  const a64 = client({ mcp, apiKey: "k".repeat(32) });
  await expect(a64.mcp.equipment({ zone: "Beds" })).resolves.toEqual([{ id: 7 }]);
  expect(seen.map(({ body }) => body)).toEqual([
    '{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"a64-farm-ai","version":"1.0.0"}},"id":1}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"get_equipment_list","arguments":{"zone":"Beds"}},"id":2}',
  ]);
  expect(seen.map(({ headers }) => headers["mcp-session-id"])).toEqual([undefined, "s1", "s1"]);
  for (const { headers } of seen) {
    expect(headers).toMatchObject({
      authorization: `Bearer ${"k".repeat(32)}`,
      accept: "application/json, text/event-stream",
    });
    expect(headers).not.toHaveProperty("mcp-protocol-version");
  }
  expect(a64.exchanges.map(({ connection }) => connection)).toEqual([1, 2, 3]);
});

test("kept connections carry a handshake, and the call has its own", async () => {
  const { mcp } = await scriptedServer([...opened("s1"), { body: result("{}") }]);
  const a64 = client({ mcp, apiKey: "k".repeat(32), connections: "kept" });
  await a64.mcp.callTool("get_alerts", {});
  expect(a64.exchanges.map(({ connection }) => connection)).toEqual([1, 1, 2]);
});

test("a session that is gone by 404 begins again, by 400 it is a failure", async () => {
  const { mcp } = await scriptedServer([
    ...opened("s1"),
    { status: 404, body: "{}" },
    ...opened("s2"),
    { body: result('{"alerts":[{"id":1}]}') },
    { status: 400, body: "{}" },
  ]);
  const a64 = client({ mcp, apiKey: "k".repeat(32) });
  await expect(a64.mcp.alerts()).resolves.toEqual([{ id: 1 }]);
  expect(a64.mcp.session).toBe("s2");
  await expect(a64.mcp.alerts()).rejects.toMatchObject({ status: 400 });
  expect(a64.mcp.handshakes).toBe(2);
});

test("of a stream only the first frame counts", async () => {
  const first = result("[1]");
  const body = `event: message\r\ndata: ${first}\r\n\r\ndata: {"jsonrpc":"2.0","id":2,"result":{}}\r\n\r\n`;
  const { mcp } = await scriptedServer([...opened("s1"), { headers: { "content-type": "text/event-stream" }, body }]);
  await expect(client({ mcp, apiKey: "k".repeat(32) }).mcp.callTool("get_alerts", {})).resolves.toEqual([1]);
});

test("after a 401 of the MCP server the client logs in at the core and begins again", async () => {
  const { mcp, seen } = await scriptedServer([{ status: 401, body: "{}" }, ...opened("s1"), { body: result("[]") }]);
  const a64 = client({ mcp });
  await expect(a64.mcp.automations()).resolves.toEqual([]);
  expect(a64.http.logins).toBe(2);
  expect(seen[0]?.headers["authorization"]).not.toBe(seen[1]?.headers["authorization"]);
});

test("text that is no JSON is told as it is, and no text as nothing", async () => {
  const { mcp } = await scriptedServer([...opened("s1"), { body: result("HTTP 404") }, { body: '{"error":{}}' }]);
  const a64 = client({ mcp, apiKey: "k".repeat(32) });
  await expect(a64.mcp.callTool("get_alerts", {})).resolves.toEqual({ raw: "HTTP 404" });
  await expect(a64.mcp.callTool("get_alerts", {})).resolves.toEqual({});
});

test("without an MCP server the client asks over HTTP", async () => {
  const a64 = client();
  const rows = await a64.preferMcp(
    (mcp) => mcp.equipment(),
    (http) => http.equipment(),
  );
  expect(rows).toHaveLength(3);
  expect(a64.fallbacks).toBe(1);
});
