import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { seconds } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { createBarnPart } from "../testing/barn-part.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

const shells: TestShell[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const each of sockets.splice(0)) each.destroy();
  await Promise.all(shells.splice(0).map((shell) => shell.close()));
});

async function start(...given: Parameters<typeof startShell>) {
  const barn = createBarnPart();
  const shell = await startShell({ parts: [barn], ...given[0] });
  shells.push(shell);
  const port = Number(new URL(shell.url).port);

  /** Sends all of a request but the end of its body. */
  async function begin(path: string, { token }: { token?: string } = {}) {
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (data) => (text += String(data)));
    const ended = once(socket, "close").then(() => text);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 900\r\n` +
        `${token === undefined ? "" : `Authorization: Bearer ${token}\r\n`}\r\n{`,
    );
    return { socket, ended, heard: () => text };
  }
  const greet = (token?: string) =>
    fetch(`${shell.url}/api/greet`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: '{"name":"Berta"}',
    });
  const waiting = (): number => Number(/^steading_http_unfinished_bodies (\d+)$/m.exec(shell.server.metrics())?.[1]);
  async function unfinished(count: number): Promise<void> {
    await expect.poll(waiting).toBe(count);
  }
  return { barn, shell, begin, greet, unfinished };
}

test("an outsider who never finishes takes no seat from anybody, not even from other outsiders", async () => {
  const { shell, begin, greet, unfinished } = await start({
    limits: { callsPerPrincipal: 2, strangerCalls: 2, calls: 2 },
  });
  await Promise.all(Array.from({ length: 40 }, () => begin("/api/greet")));
  await unfinished(40);
  expect((await greet()).status).toBe(200);
  expect((await greet(shell.viewer)).status).toBe(200);
  expect((await fetch(`${shell.url}/api/health`)).status).toBe(200);
  const me = { headers: { authorization: `Bearer ${shell.viewer}` } };
  expect((await fetch(`${shell.url}/api/me`, me)).status).toBe(200);
});

test("a body that does not go on is given up, and its connection with it", async () => {
  const { shell, begin, unfinished } = await start();
  const { ended } = await begin("/api/greet");
  const other = await begin("/api/animals", { token: shell.admin });
  await unfinished(2);
  await shell.clock.advance(seconds(9));
  await unfinished(2);
  await shell.clock.advance(seconds(2));
  expect(await ended).toMatch(/^HTTP\/1\.1 408 [^]*BODY_TOO_SLOW/);
  expect(await other.ended).toMatch(/^HTTP\/1\.1 408 /);
  await unfinished(0);
  expect(shell.server.metrics()).toContain('steading_http_refused_total{why="timed_out"} 2');
});

test("a body of MCP that does not go on is given up too", async () => {
  const { shell, begin, unfinished } = await start();
  const { ended } = await begin("/mcp", { token: shell.admin });
  await unfinished(1);
  await shell.clock.advance(seconds(11));
  expect(await ended).toMatch(/^HTTP\/1\.1 408 [^]*"jsonrpc"/);
});

test("of too many unfinished bodies of one address the oldest gives way", async () => {
  const { shell, begin, greet, unfinished } = await start({ limits: { strangerBodiesPerAddress: 3 } });
  const first = await begin("/api/greet");
  await unfinished(1);
  for (let i = 0; i < 2; i++) await begin("/api/greet");
  const known = await begin("/api/animals", { token: shell.admin });
  await unfinished(4);
  expect((await greet()).status).toBe(200);
  expect(await first.ended).toMatch(/^HTTP\/1\.1 429 [^]*TOO_MANY_CALLS/);
  await unfinished(3);
  expect(known.heard()).toBe("");
  expect(shell.server.metrics()).toContain('steading_http_refused_total{why="too_many_bodies"} 1');
});

test("of too many unfinished bodies in all the oldest gives way", async () => {
  const { shell, begin, unfinished } = await start({ limits: { bodies: 2 } });
  const first = await begin("/mcp", { token: shell.admin });
  await unfinished(1);
  await begin("/mcp", { token: shell.viewer });
  await unfinished(2);
  await begin("/api/animals", { token: shell.admin });
  expect(await first.ended).toMatch(/^HTTP\/1\.1 429 [^]*Retry-After: 1/i);
});

test("outsiders have seats of their own, and need none to ask how the hub is", async () => {
  const { barn, shell, greet } = await start({ limits: { strangerCalls: 1 } });
  const slow = () => fetch(`${shell.url}/api/slow-greet`, { method: "POST" });
  const held = slow();
  while (barn.slow.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect((await greet()).status).toBe(429);
  expect((await greet(shell.viewer)).status).toBe(200);
  expect((await fetch(`${shell.url}/api/health`)).status).toBe(200);
  await shell.clock.advance(seconds(3_600));
  expect((await held).status).toBe(504);
  expect((await greet()).status).toBe(200);
});
