import { once } from "node:events";
import { connect } from "node:net";
import { hours, seconds } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createBarnPart } from "../testing/barn-part.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

const shells: TestShell[] = [];
const clients: WebSocket[] = [];
afterEach(async () => {
  for (const each of clients.splice(0)) each.terminate();
  await Promise.all(shells.splice(0).map((shell) => shell.close()));
});

async function start(...given: Parameters<typeof startShell>) {
  const barn = createBarnPart();
  const shell = await startShell({ parts: [barn], ...given[0] });
  shells.push(shell);
  const address = shell.url.replace("http", "ws");
  function dial(path: string, { token, headers = {}, protocols = [] }: Dial = {}): WebSocket {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const client = new WebSocket(`${address}${path}`, [...protocols], { headers: { ...authorization, ...headers } });
    clients.push(client);
    return client;
  }
  return { barn, shell, dial };
}
interface Dial {
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly protocols?: readonly string[];
}

/** The first message, or the status of a refusal. */
async function outcome(client: WebSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    client.once("message", (data) => resolve(String(data)));
    client.once("unexpected-response", (req, res) => {
      resolve(`refused ${String(res.statusCode)}`);
      req.destroy();
    });
    client.on("error", reject);
  });
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

test("a socket opens for whoever may, and messages go both ways", async () => {
  const { barn, shell, dial } = await start();
  const client = dial("/ws", { token: shell.viewer, protocols: ["barn.v1"] });
  expect(await outcome(client)).toBe("hello vera");
  expect(client.protocol).toBe("barn.v1");
  client.send("text");
  client.send(new Uint8Array([1, 2]));
  await until(() => barn.heard.length === 2);
  expect(barn.heard).toEqual(["text", new Uint8Array([1, 2])]);
  barn.feed[0]?.send(new Uint8Array([3]));
  const [data, isBinary] = await once(client, "message");
  expect([[...data], isBinary]).toEqual([[3], true]);
  client.close(4000, "enough");
  await until(() => barn.closed.length === 1);
  expect(barn.closed).toEqual(["4000 enough"]);
});

test("a browser brings its credential as a subprotocol", async () => {
  const { shell, dial } = await start();
  const client = dial("/ws", { protocols: ["bearer", shell.viewer] });
  expect(await outcome(client)).toBe("hello vera");
  expect(client.protocol).toBe("bearer");
});

test("nobody is let in before they are known, and the part may still say no", async () => {
  const { barn, shell, dial } = await start();
  expect(await outcome(dial("/ws"))).toBe("refused 401");
  expect(await outcome(dial("/ws", { protocols: ["bearer", "wrong"] }))).toBe("refused 401");
  expect(await outcome(dial("/ws", { token: "stead_0123456789012345678901234567890123" }))).toBe("refused 401");
  expect(await outcome(dial("/ws?no", { token: shell.viewer }))).toBe("refused 403");
  expect(await outcome(dial("/nothing", { token: shell.viewer }))).toBe("refused 404");
  expect(await outcome(dial("/ws", { token: shell.viewer, headers: { origin: "https://evil.example" } }))).toBe(
    "refused 403",
  );
  expect([barn.feed.length, barn.closed.length]).toEqual([0, 0]);
  expect(shell.server.metrics()).toContain("steading_sockets_refused_total 4");
});

test("a part that checks credentials itself sees the request and no caller of ours", async () => {
  const { dial } = await start();
  expect(await outcome(dial("/gadgets/lamp"))).toBe("refused 401");
  const client = dial("/gadgets/lamp", { headers: { "x-gadget": "secret" } });
  expect(JSON.parse(await outcome(client))).toEqual({ path: "/gadgets/lamp", protocols: [], caller: null });
});

test("a credential may come in a message, and the socket ends with it from then on", async () => {
  const { barn, shell, dial } = await start();
  const client = dial("/gadgets/lamp", { headers: { "x-gadget": "secret" } });
  await outcome(client);
  const answer = async (token: string) => {
    client.send(token);
    return String((await once(client, "message"))[0]);
  };
  expect(await answer("stead_0123456789012345678901234567890123")).toBe("you are nobody");
  const { token, record } = await shell.tokens.create({ principal: "gerd", role: "viewer", label: "gadget" });
  expect(await answer(token)).toBe("you are gerd");
  const closed = once(client, "close");
  await shell.tokens.revoke(record.id);
  expect((await closed)[0]).toBe(1008);
  await until(() => barn.closed.length === 1);
});

test("a client that resets its connection while it is refused does no harm", async () => {
  const { shell } = await start();
  const { port } = new URL(shell.url);
  for (const path of ["/ws", "/nothing", "/gadgets/x"]) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    socket.resetAndDestroy();
    await once(socket, "close");
  }
  expect((await fetch(`${shell.url}/health`)).status).toBe(200);
});

test("a client that was refused and does not hang up loses its connection all the same", async () => {
  const { shell } = await start();
  const socket = connect({ port: Number(new URL(shell.url).port), host: "127.0.0.1", allowHalfOpen: true });
  let text = "";
  socket.on("data", (data) => (text += String(data))).on("error", () => {});
  socket.write(
    "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  await until(() => text.startsWith("HTTP/1.1 401"));
  await expect.poll(() => shell.server.metrics()).toContain("steading_http_connections 0\n");
  socket.destroy();
});

test("a message that is too large, or that the part cannot take, ends the socket", async () => {
  const { barn, shell, dial } = await start();
  const large = dial("/ws", { token: shell.viewer });
  await outcome(large);
  large.send("x".repeat(1_001));
  expect((await once(large, "close"))[0]).toBe(1009);
  const bad = dial("/ws", { token: shell.viewer });
  await outcome(bad);
  bad.send("throw");
  expect((await once(bad, "close"))[0]).toBe(1011);
  await until(() => barn.closed.length === 2);
});

test("a reader that does not read is cut, and the part is told once", async () => {
  const { barn, shell, dial } = await start();
  const client = dial("/ws", { token: shell.viewer });
  await outcome(client);
  client.pause();
  const socket = barn.feed[0];
  for (let i = 0; i < 10_000 && barn.closed.length === 0; i++) {
    socket?.send("x".repeat(50_000));
    if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => barn.closed.length > 0);
  expect(barn.closed).toEqual(["1013 The reader is too slow"]);
  expect(shell.server.metrics()).toContain("steading_sockets_slow_total 1");
  socket?.send("nobody is there");
  expect(shell.server.metrics()).toContain("steading_sockets_open 0");
});

test("a client that answers no ping is cut, one that does stays", async () => {
  const { barn, shell, dial } = await start();
  const alive = dial("/ws", { token: shell.viewer });
  await outcome(alive);
  const dead = dial("/ws", { token: shell.admin });
  await outcome(dead);
  dead.pause();
  const pinged = once(alive, "ping");
  await shell.clock.advance(seconds(30));
  await pinged;
  alive.send("here");
  await until(() => barn.heard.length === 1);
  await shell.clock.advance(seconds(30));
  await until(() => barn.closed.length === 1);
  expect(barn.closed).toEqual(["1006"]);
  expect(alive.readyState).toBe(WebSocket.OPEN);
});

test("a socket ends with the credential it was opened with", async () => {
  const { shell, dial } = await start();
  const short = await shell.tokens.create({ principal: "anna", role: "admin", label: "short", validFor: seconds(20) });
  const revoked = await shell.tokens.create({ principal: "anna", role: "admin", label: "revoked" });
  const client = dial("/ws", { token: revoked.token });
  await outcome(client);
  const closed = once(client, "close");
  await shell.tokens.revoke(revoked.record.id);
  expect((await closed)[0]).toBe(1008);
  const second = dial("/ws", { token: short.token });
  await outcome(second);
  const over = once(second, "close");
  await shell.clock.advance(seconds(20));
  expect((await over)[0]).toBe(1008);
});

test("one principal may hold only so many", async () => {
  const { shell, dial } = await start();
  const held = Array.from({ length: 64 }, () => outcome(dial("/ws", { token: shell.viewer })));
  await Promise.all(held);
  expect(await outcome(dial("/ws", { token: shell.viewer }))).toBe("refused 429");
  expect(await outcome(dial("/ws", { token: shell.admin }))).toBe("hello anna");
  expect(shell.server.metrics()).toContain("steading_sockets_open 65");
});

test("sockets that nobody known holds do not keep known callers out, nor the other way round", async () => {
  const { shell, dial } = await start();
  const gadget = { headers: { "x-gadget": "secret" } };
  const strangers = Array.from({ length: 64 }, () => dial("/gadgets/lamp", gadget));
  await Promise.all(strangers.map(outcome));
  expect(await outcome(dial("/gadgets/lamp", gadget))).toBe("refused 429");
  expect(await outcome(dial("/gadgets/lamp", { ...gadget, token: "nonsense" }))).toBe("refused 429");
  expect(await outcome(dial("/gadgets/lamp", { ...gadget, token: shell.viewer }))).toContain("/gadgets/lamp");
  expect(await outcome(dial("/gadgets/lamp", { ...gadget, protocols: ["bearer", shell.viewer] }))).toContain("bearer");
  expect(await outcome(dial("/ws", { token: shell.viewer }))).toBe("hello vera");
  // Somebody who makes themselves known is a stranger no more.
  strangers[0]?.send(shell.admin);
  expect(String((await once(strangers[0] as WebSocket, "message"))[0])).toBe("you are anna");
  expect(await outcome(dial("/gadgets/lamp", gadget))).toContain("/gadgets/lamp");
});

test("who makes themselves known on one socket too many is cut, and gives back every place", async () => {
  const { barn, shell, dial } = await start();
  const own = Array.from({ length: 64 }, () => dial("/ws", { token: shell.viewer }));
  await Promise.all(own.map(outcome));
  const late = dial("/gadgets/lamp", { headers: { "x-gadget": "secret" } });
  await outcome(late);
  late.send(shell.viewer);
  expect((await once(late, "close"))[0]).toBe(1013);
  await until(() => barn.closed.length === 1);
  own[0]?.close();
  await until(() => barn.closed.length === 2);
  expect(await outcome(dial("/ws", { token: shell.viewer }))).toBe("hello vera");
});

test("a hub that stops says goodbye", async () => {
  const { barn, shell, dial } = await start();
  const client = dial("/ws", { token: shell.viewer });
  await outcome(client);
  const closed = once(client, "close");
  await shell.close();
  expect((await closed)[0]).toBe(1001);
  expect(barn.closed).toEqual(["1001 The hub stops"]);
});

test("a client that offers another protocol with its requests is served in this one", async () => {
  const { shell } = await start();
  const { port } = new URL(shell.url);
  const socket = connect(Number(port), "127.0.0.1");
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  socket.write(
    `POST /api/animals HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n` +
      `HTTP2-Settings: AAMAAABkAAQAAP__\r\nAuthorization: Bearer ${shell.admin}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  let text = "";
  socket.on("data", (data) => (text += String(data)));
  await until(() => text.includes("INVALID_ARGUMENTS"));
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  text = "";
  socket.write("GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n");
  await until(() => text.includes('"status":"ok"'));
  socket.destroy();
  await shell.clock.advance(hours(1));
});
