import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { attach } from "./attach.ts";
import { connectToHub } from "./hub-socket.ts";
import { isOnlyGreeting } from "./opening.ts";

let dir: string;
let path: string;
let servers: Server[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "steading-sock-"));
  path = join(dir, "steading.sock");
  servers = [];
});
afterEach(async () => {
  for (const server of servers) {
    server.close();
    if (server.listening) await once(server, "close");
  }
  rmSync(dir, { recursive: true });
});

async function listening(onConnection: (socket: Socket) => void): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, onConnection);
  servers.push(server);
  server.listen(path);
  await once(server, "listening");
}

test("no socket file means no hub", async () => {
  expect(await connectToHub({ path, role: "operator" })).toBeUndefined();
  expect(await connectToHub({ path: join(dir, "none", "steading.sock"), role: "operator" })).toBeUndefined();
});

test("the first line is the hello, what follows are the bytes of standard input, and answers come back", async () => {
  let received = "";
  await listening((socket) => {
    socket.setEncoding("utf8").on("data", (piece: string) => (received += piece));
    socket.on("end", () => socket.end("answer\n"));
  });
  const socket = await connectToHub({ path, role: "viewer" });
  if (!socket) return expect.fail("there is a hub");
  const [input, output] = [new PassThrough(), new PassThrough()];
  const joined = attach({ socket, input, output, stop: new AbortController().signal });
  input.end("question\n");
  expect(await joined).toEqual({ who: "client" });
  output.end();
  expect(received).toBe('{"steading":1,"role":"viewer"}\nquestion\n');
  expect(await text(output)).toBe("answer\n");
});

test("a hub that goes away ends the attachment while standard input is still open", async () => {
  await listening((socket) => {
    socket.on("error", () => {});
    socket.destroy();
  });
  const socket = await connectToHub({ path, role: "operator" });
  if (!socket) return expect.fail("there is a hub");
  const stop = new AbortController().signal;
  const left = await attach({ socket, input: new PassThrough(), output: new PassThrough(), stop });
  expect(left).toEqual({ who: "hub", unanswered: Buffer.alloc(0) });
});

test("what a client said to a hub that left without a word can be said to the next one, and only then", async () => {
  async function saidBefore(answer: string): Promise<unknown> {
    await listening((socket) => {
      socket.on("error", () => {});
      socket.setEncoding("utf8").on("data", (piece: string) => {
        if (piece.includes("question")) socket.write(answer, () => socket.destroy());
      });
    });
    const socket = await connectToHub({ path, role: "operator" });
    if (!socket) return expect.fail("there is a hub");
    const input = new PassThrough();
    const joined = attach({ socket, input, output: new PassThrough(), stop: new AbortController().signal });
    input.write("question\n");
    const left = await joined;
    servers.pop()?.close();
    return left;
  }
  expect(await saidBefore("")).toEqual({ who: "hub", unanswered: Buffer.from("question\n") });
  expect(await saidBefore("answer\n")).toEqual({ who: "hub", unanswered: undefined });
});

test.each([
  ["", true],
  ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n', true],
  ['{"jsonrpc":"2.0","id":1,"method":"server/discover"}\n{"jsonrpc":"2.0","id":2,"meth', true],
  ['{"jsonrpc":"2.0","id":1,"method":"initialize"}\n{"jsonrpc":"2.0","id":2,"method":"tools/call"}\n', false],
  ["nonsense\n", false],
  ["[]\n", false],
])("only a greeting is said a second time: %j", (said, again) => {
  expect(isOnlyGreeting(said)).toBe(again);
});

test("a signal ends the attachment", async () => {
  await listening((socket) => void socket.resume());
  const socket = await connectToHub({ path, role: "operator" });
  if (!socket) return expect.fail("there is a hub");
  const stop = new AbortController();
  const joined = attach({ socket, input: new PassThrough(), output: new PassThrough(), stop: stop.signal });
  stop.abort();
  expect(await joined).toEqual({ who: "client" });
});

test("a path that no socket can have is told as such", () => {
  expect(() => connectToHub({ path: `/${"x".repeat(120)}/steading.sock`, role: "operator" })).toThrow(
    expect.objectContaining({ code: "USAGE", hint: expect.stringContaining("--data") }),
  );
});
