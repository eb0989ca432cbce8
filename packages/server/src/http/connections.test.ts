import { connect, type Socket } from "node:net";
import { millis } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { post } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { DEFAULT_LIMITS } from "../limits/limits.ts";
import { createConnectionCount } from "./connection-count.ts";
import { createEdgeCounters, type EdgeRefusal } from "./edge-counters.ts";
import { startHttpListener } from "./http-listener.ts";
import { addressOf, isRemote } from "./peer.ts";

let shell: TestShell | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await shell?.close();
  shell = undefined;
});

/** A connection, what came over it, and its end. */
function open(url: string, text = ""): { readonly socket: Socket; readonly ended: Promise<string> } {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  sockets.push(socket);
  socket.write(text);
  let got = "";
  socket.on("data", (data) => (got += data.toString())).on("error", () => {});
  return { socket, ended: new Promise((resolve) => socket.once("close", () => resolve(got))) };
}
const refused = (at: TestShell, why: EdgeRefusal): number =>
  Number(new RegExp(`steading_http_refused_total\\{why="${why}"\\} (\\d+)`).exec(at.server.metrics())?.[1]);
const connections = (at: TestShell): number => Number(/steading_http_connections (\d+)/.exec(at.server.metrics())?.[1]);

test("no more connections are open than the limit, those beyond are counted, and a place comes back", async () => {
  shell = await startShell({ limits: { connections: 3 } });
  const at = shell;
  const held = [open(at.url), open(at.url), open(at.url)];
  await expect.poll(() => connections(at)).toBe(3);
  expect(await open(at.url, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").ended).toBe("");
  expect(refused(at, "connections")).toBe(1);
  held[0]?.socket.destroy();
  await expect.poll(() => connections(at)).toBe(2);
  const { socket, ended } = open(at.url, "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  expect(await ended).toMatch(/^HTTP\/1.1 200/);
  socket.destroy();
});

test("one address of the network holds only its share; this machine and a proxy may hold them all", () => {
  type OnConnection = (socket: { remoteAddress: string; once: () => void; destroy: () => void }) => void;
  function connecting(behindProxy: boolean) {
    const edge = createEdgeCounters();
    const count = createConnectionCount({ edge, connections: 100, connectionsPerAddress: 2 });
    let onConnection: OnConnection = () => {};
    const server = {
      on: (event: string, listener: OnConnection) => void (event === "connection" && (onConnection = listener)),
    };
    count.watch(server as unknown as Parameters<typeof count.watch>[0], behindProxy); // of a server it needs no more
    let cut = 0;
    const from = (remoteAddress: string) => onConnection({ remoteAddress, once() {}, destroy: () => void cut++ });
    return { from, cut: () => [cut, edge.of("connections_of_address")] };
  }
  const open = connecting(false);
  for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1"]) open.from(address);
  expect(open.cut()).toEqual([1, 1]);
  for (const address of ["192.0.2.2", "127.0.0.1", "127.0.0.1", "127.0.0.1", "::1"]) open.from(address);
  expect(open.cut()).toEqual([1, 1]);
  // One home has as many IPv6 addresses as it likes.
  for (const host of ["1", "2", "3"]) open.from(`2001:db8::${host}`);
  expect(open.cut()).toEqual([2, 2]);
  const behind = connecting(true);
  for (let i = 0; i < 5; i++) behind.from("192.0.2.1");
  expect(behind.cut()).toEqual([0, 0]);
});

// @proves mcp.limits.header-timeout mcp.limits.request-timeout
test("a client that dribbles its headers or its body is cut when the time is over", async () => {
  shell = await startShell({ limits: { headersTimeout: millis(150), requestTimeout: millis(300) } });
  const at = shell;
  const headers = open(at.url, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-A: 1\r\n");
  const body = open(
    at.url,
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${at.admin}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n{"jsonrpc":',
  );
  const dribble = setInterval(() => {
    if (headers.socket.writable) headers.socket.write("X-B: 2\r\n");
    if (body.socket.writable) body.socket.write(" ");
  }, 20);
  try {
    expect(await headers.ended).toMatch(/^HTTP\/1.1 408/);
    expect(await body.ended).toMatch(/^HTTP\/1.1 408/);
  } finally {
    clearInterval(dribble);
  }
  expect(refused(at, "timed_out")).toBe(2);
  expect(at.dispatcher.calls).toEqual([]);
  await expect.poll(() => connections(at)).toBe(0);
}, 20_000);

test("a client that pours in without end is told and cut, and one that declares it is not even read", async () => {
  shell = await startShell({ limits: { bodyBytes: 10_000 } });
  const at = shell;
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${at.admin}\r\nContent-Type: application/json\r\n`;
  const endless = open(at.url, `${head}Transfer-Encoding: chunked\r\n\r\n`);
  const piece = `3e8\r\n${" ".repeat(1_000)}\r\n`;
  const pour = (): void => {
    if (endless.socket.writable) endless.socket.write(piece, () => setImmediate(pour));
  };
  pour();
  expect(await endless.ended).toMatch(/^HTTP\/1.1 413/);
  expect(await open(at.url, `${head}Content-Length: 9000000000\r\n\r\n`).ended).toMatch(/^HTTP\/1.1 413/);
  expect(refused(at, "too_large")).toBe(2);
});

test("what is no HTTP is answered 400 and counted, and so are too many headers", async () => {
  shell = await startShell();
  expect(await open(shell.url, "hello\r\n\r\n").ended).toMatch(/^HTTP\/1.1 400/);
  const long = `GET /mcp HTTP/1.1\r\nHost: localhost\r\nX-A: ${"a".repeat(17_000)}\r\n\r\n`;
  expect(await open(shell.url, long).ended).toMatch(/^HTTP\/1.1 431/);
  expect(refused(shell, "malformed")).toBe(2);
});

// @proves mcp.limits.call-rate-remote-only
test("behind a trusted proxy callers are remote, although the proxy is on this machine", async () => {
  shell = await startShell({ limits: { callsPerSecond: 1, callBurst: 2 } });
  const proxied = await shell.server.listen({ host: "127.0.0.1", port: 0, trustedProxy: true });
  const call = async (url: string) =>
    (await post(`${url}/mcp`, "tools/call", { name: "echo" }, { token: shell?.admin ?? "" })).status;
  for (let i = 0; i < 4; i++) expect(await call(shell.url)).toBe(200);
  expect([await call(proxied.url), await call(proxied.url), await call(proxied.url)]).toEqual([200, 200, 429]);
  expect(shell.server.metrics()).toContain("steading_mcp_calls_too_fast_total 1\n");
  expect(refused(shell, "too_many_calls")).toBe(1);
});

test("only a trusted proxy may say where a request comes from", async () => {
  const edge = createEdgeCounters();
  const seen: unknown[] = [];
  const listen = (trustedProxy: boolean) =>
    startHttpListener({
      at: { host: "127.0.0.1", port: 0, trustedProxy },
      limits: DEFAULT_LIMITS,
      edge,
      connections: createConnectionCount({ edge, ...DEFAULT_LIMITS }),
      onRequest(req, res) {
        seen.push([addressOf(req), isRemote(req.socket)]);
        res.end();
      },
    });
  const [plain, proxied] = [await listen(false), await listen(true)];
  const headers = { "x-forwarded-for": "203.0.113.9, 192.0.2.7" };
  for (const { url } of [plain, proxied]) await fetch(url, { headers });
  expect(seen).toEqual([
    ["127.0.0.1", false],
    ["192.0.2.7", true],
  ]);
  await plain.close();
  await proxied.close();
});

test("every reason to turn somebody away at the edge has its number", async () => {
  shell = await startShell({ limits: { bodyBytes: 1_000, bodyDepth: 8 } });
  const at = shell;
  const authorization = `Bearer ${at.admin}`;
  const json = { "content-type": "application/json" };
  const ask = async (headers: Record<string, string>, body: string) =>
    (await fetch(at.mcp, { method: "POST", headers, body })).status;
  const answers = {
    guard: await ask({ ...json, authorization, origin: "http://evil.example" }, "{}"),
    unauthorized: await ask(json, "{}"),
    media: await ask({ authorization, "content-type": "text/plain" }, "{}"),
    not_json: await ask({ ...json, authorization }, "{"),
    too_large: await ask({ ...json, authorization }, `"${"x".repeat(1_000)}"`),
    too_deep: await ask({ ...json, authorization }, "[".repeat(9) + "]".repeat(9)),
    repeated_name: await ask({ ...json, authorization }, '{"jsonrpc":"2.0","jsonrpc":"2.0"}'),
  };
  expect(answers).toEqual({
    guard: 403,
    unauthorized: 401,
    media: 415,
    not_json: 400,
    too_large: 413,
    too_deep: 400,
    repeated_name: 400,
  });
  for (const why of Object.keys(answers) as EdgeRefusal[]) expect([why, refused(at, why)]).toEqual([why, 1]);
});

test.each(["nonsense\r\n\r\n", "GET /health HTTP/1.1\r\n"])(
  "a client that was refused for %j and does not hang up loses its connection all the same",
  async (text) => {
    shell = await startShell({ limits: { headersTimeout: millis(20) } });
    const at = shell;
    const socket = connect({ port: Number(new URL(at.url).port), host: "127.0.0.1", allowHalfOpen: true });
    sockets.push(socket);
    let got = "";
    socket.on("data", (data) => (got += data.toString())).on("error", () => {});
    socket.write(text);
    await expect.poll(() => got).toMatch(/^HTTP\/1.1 40[08]/);
    await expect.poll(() => connections(at)).toBe(0);
  },
);
