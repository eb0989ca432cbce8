import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { seconds } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell;
let folder: string;
let path: string;
beforeEach(async () => {
  shell = await startShell();
  folder = await mkdtemp(join(tmpdir(), "steading-"));
  path = join(folder, "hub.sock");
});
afterEach(async () => {
  await shell.close();
  await rm(folder, { recursive: true });
});

function open(): { socket: Socket; line(): Promise<Record<string, unknown>> } {
  const socket = connect(path);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    socket,
    async line() {
      const { done, value } = await lines.next();
      if (done) throw new Error("The socket closed.");
      return JSON.parse(value) as Record<string, unknown>;
    },
  };
}
const modern = (id: number, method: string, params: object = {}): string =>
  `${JSON.stringify({
    jsonrpc: "2.0",
    id,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  })}\n`;

// @proves mcp.stdio.socket-mode
test("only the owner may open the socket file", async () => {
  await shell.server.serveSocket(path);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

// @proves mcp.stdio.local-socket
test("after a hello line the 2026 era is spoken with the role it named, even when all arrives in one piece", async () => {
  await shell.server.serveSocket(path);
  const { socket, line } = open();
  socket.write(`{"steading":1,"role":"viewer"}\n${modern(1, "tools/call", { name: "who.am.i" })}`);
  expect(await line()).toMatchObject({
    id: 1,
    result: { resultType: "complete", structuredContent: { principal: "local", role: "viewer", transport: "socket" } },
  });
  socket.write(modern(2, "tools/call", { name: "operate" }));
  expect(await line()).toMatchObject({ id: 2, error: { code: -32602 } });
  socket.destroy();
});

test("the 2025 era is spoken as well, and list changes arrive unasked", async () => {
  await shell.server.serveSocket(path);
  const { socket, line } = open();
  socket.write('{"steading":1,"role":"operator"}\n');
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "old", version: "1" } };
  socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  expect(await line()).toMatchObject({ id: 1, result: { protocolVersion: "2025-06-18" } });
  socket.write(
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n',
  );
  expect(await line()).toMatchObject({ id: 2, result: { tools: expect.arrayContaining([]) } });
  shell.dispatcher.add({ name: "extra", run: () => ({}) });
  expect(await line()).toMatchObject({ method: "notifications/tools/list_changed" });
  socket.destroy();
});

test.each(["nonsense", '{"steading":2,"role":"admin"}', '{"steading":1,"role":"king"}', "x".repeat(2_000)])(
  "a hello that is none is refused (%#)",
  async (hello) => {
    await shell.server.serveSocket(path);
    const { socket, line } = open();
    socket.write(`${hello}\n`);
    expect(await line()).toMatchObject({ id: null, error: { code: -32600 } });
    await expect(line()).rejects.toThrow("closed");
  },
);

test("a connection that says nothing is closed after five seconds", async () => {
  await shell.server.serveSocket(path);
  const { socket, line } = open();
  await new Promise((resolve) => socket.once("connect", resolve));
  await expect.poll(() => shell.clock.pending).toBeGreaterThan(0);
  await shell.clock.advance(seconds(5));
  expect(await line()).toMatchObject({ error: { code: -32600 } });
});

test("a socket that another hub serves is not taken from it", async () => {
  await shell.server.serveSocket(path);
  const other = await startShell();
  await expect(other.server.serveSocket(path)).rejects.toMatchObject({ code: "SOCKET_TAKEN" });
  await other.close();
});

test("a socket file left by a killed hub is taken over, any other file is left alone", async () => {
  const left = await import("node:net").then(({ createServer }) => createServer());
  await new Promise<void>((resolve) => left.listen(path, resolve));
  // Closing would remove the file, as a kill does not: hide it from the closing server.
  const { rename } = await import("node:fs/promises");
  await rename(path, `${path}.kept`);
  await new Promise((resolve) => left.close(resolve));
  await rename(`${path}.kept`, path);
  const served = await shell.server.serveSocket(path);
  await served.close();

  await writeFile(path, "precious");
  await expect(shell.server.serveSocket(path)).rejects.toMatchObject({ code: "LISTEN_REFUSED" });
});

test.each([
  ["essential", ["echo"]],
  ["works", ["operate"]],
  ["all", ["count", "echo", "operate"]],
])("the hello line picks the tools that are seen: %s", async (view, expected) => {
  await shell.server.serveSocket(path);
  const { socket, line } = open();
  socket.write(`${JSON.stringify({ steading: 1, role: "admin", view })}\n${modern(1, "tools/list")}`);
  const names = ((await line()) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(expected));
  if (view !== "all") expect(names).toEqual(expected);
  socket.end();
});

test("a view that is no toolset is refused with a sentence", async () => {
  await shell.server.serveSocket(path);
  const { socket, line } = open();
  socket.write('{"steading":1,"role":"admin","view":"nothing"}\n');
  expect(await line()).toMatchObject({ error: { message: expect.stringContaining("essential") } });
  socket.end();
});
