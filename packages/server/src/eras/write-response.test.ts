import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { writeResponse, type Written } from "./write-response.ts";

const LIMIT = 256 * 1024;
let server: Server;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

/** A stream of that many events, made as fast as they are taken; sockets and readers get their turn in between. */
function events(count: number, length: number): Response {
  const event = new TextEncoder().encode(`data: ${"x".repeat(length)}\n\n`);
  let made = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve));
      if (made++ < count) controller.enqueue(event);
      else controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

async function serve(response: () => Response): Promise<{ readonly port: number; readonly written: Promise<Written> }> {
  let port = 0;
  const written = new Promise<Written>((resolve, reject) => {
    server = createServer((_, res) => void writeResponse(response(), res, LIMIT).then(resolve, reject));
    server.listen(0, "127.0.0.1");
  });
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo); // it listens on a port
  return { port, written };
}

test("one event that is larger than what may stay unread reaches a reader who reads", async () => {
  const { port, written } = await serve(() => events(1, 3 * LIMIT));
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect((await answer.text()).length).toBe(3 * LIMIT + 8);
  expect(await written).toBe("whole");
});

test("a long stream reaches a reader who reads", async () => {
  const { port, written } = await serve(() => events(100, 64 * 1024));
  expect((await (await fetch(`http://127.0.0.1:${port}/`)).text()).length).toBe(100 * (64 * 1024 + 8));
  expect(await written).toBe("whole");
});

test("a reader who does not read is cut", async () => {
  // More than any operating system takes off our hands.
  const { port, written } = await serve(() => events(1_000, 64 * 1024));
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  socket.pause();
  expect(await written).toBe("cut");
});

test.each(["the client asks for it", "the client speaks HTTP/1.0"])(
  "the connection closes after the stream when %s, whatever the stream says of it",
  async (how) => {
    const headers = { "content-type": "text/event-stream", connection: "keep-alive" };
    const { port } = await serve(() => new Response(events(2, 10).body, { headers }));
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    const asked = how.endsWith("1.0")
      ? "GET / HTTP/1.0\r\n\r\n"
      : "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    socket.write(asked);
    let text = "";
    socket.on("data", (data) => (text += String(data)));
    await once(socket, "end");
    expect(text.toLowerCase()).toContain("connection: close");
    expect(text.match(/data: x{10}/g)).toHaveLength(2);
  },
);
