import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createRealClock, createReception, millis } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { createLampLink, type LampLink } from "./lamp-link.ts";
import { createTcpDial } from "./tcp-wire.ts";

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.stop();
});

/** A TCP peer that plays a script: for each line it receives, what it does. */
async function peer(play: (line: string, socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    let held = "";
    socket.on("data", (piece) => {
      held += piece.toString("latin1");
      for (let end = held.indexOf("\n"); end >= 0; end = held.indexOf("\n")) {
        play(held.slice(0, end), socket);
        held = held.slice(end + 1);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.push({
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  });
  return { server, port: (server.address() as AddressInfo).port }; // a TCP server's address is never a string
}

function link(port: number, timeout = millis(2_000)): LampLink {
  const clock = createRealClock();
  const made = createLampLink({
    name: "hall",
    dial: createTcpDial({ host: "127.0.0.1", port }),
    clock,
    reception: createReception(clock),
    timeout,
  });
  made.start(new AbortController().signal);
  opened.push(made);
  return made;
}

test("a command goes out and its answer comes back over a real socket, cut into single bytes", async () => {
  const lines: string[] = [];
  const { port } = await peer((line, socket) => {
    lines.push(line);
    for (const c of line === "?" ? "1\n" : "A\n") socket.write(c);
  });
  const lamp = link(port);
  expect((await lamp.ask("on")).answer).toEqual({ kind: "accepted" });
  expect((await lamp.ask("read")).answer).toEqual({ kind: "state", on: true });
  expect(lines).toEqual(["1", "?"]);
});

test("a peer that hangs up instead of answering leaves the request unanswered, and the next one dials again", async () => {
  let hangUps = 0;
  const { port } = await peer((line, socket) => {
    if (line === "1") {
      hangUps += 1;
      socket.destroy();
    } else socket.write("0\n");
  });
  const lamp = link(port);
  await expect(lamp.ask("on")).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
  expect((await lamp.ask("read")).answer).toEqual({ kind: "state", on: false });
  expect(hangUps).toBe(1);
});

test("a silent peer is a TIMEOUT", async () => {
  const { port } = await peer(() => {});
  await expect(link(port, millis(30)).ask("on")).rejects.toMatchObject({ code: "TIMEOUT" });
});

test("nobody at the port is SOURCE_UNAVAILABLE", async () => {
  const { server, port } = await peer(() => {});
  server.close();
  await once(server, "close");
  opened.length = 0;
  await expect(link(port).ask("on")).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
});

test("a peer that half closes is treated as gone", async () => {
  let sockets = 0;
  const { server, port } = await peer((_line, socket) => socket.write("1\n"));
  server.on("connection", (socket: Socket) => {
    sockets += 1;
    if (sockets === 1) socket.end();
  });
  const lamp = link(port);
  await new Promise<void>((resolve) => {
    const forget = lamp.onConnection((connected) => {
      if (connected) return;
      forget();
      resolve();
    });
  });
  expect((await lamp.ask("read")).answer).toEqual({ kind: "state", on: true });
});
