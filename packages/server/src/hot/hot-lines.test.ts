import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { SteadingError } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { createHandDispatcher, type HandDispatcher, type HandTool } from "../testing/hand-dispatcher.ts";
import { HAND_TOOLS } from "../testing/hand-tools.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

const shells: TestShell[] = [];
afterEach(async () => {
  for (const shell of shells.splice(0)) await shell.close();
});

const TOOLS: readonly HandTool[] = [
  ...HAND_TOOLS,
  { name: "unicode", run: () => ({ text: "ä\u2028😀" }) },
  {
    name: "crash",
    run() {
      throw new Error("a secret");
    },
  },
];

interface Line {
  say(message: object): void;
  next(): Promise<Record<string, unknown>>;
  hot(): number;
  readonly dispatcher: HandDispatcher;
}

async function openLine(hotPath: boolean): Promise<Line> {
  const dispatcher = createHandDispatcher(...TOOLS);
  const shell = await startShell({ hotPath, dispatcher });
  shells.push(shell);
  const input = new PassThrough();
  const output = new PassThrough();
  shell.server.serveStdio({ input, output, caller: { principal: "anna", role: "operator" } });
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  return {
    dispatcher,
    say: (message) => void input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    async next() {
      const { done, value } = await lines.next();
      if (done) throw new Error("The line was closed.");
      return JSON.parse(value.replace(/\b[0-9a-f]{12}\b/g, "REF")) as Record<string, unknown>;
    },
    hot: () =>
      [...shell.server.metrics().matchAll(/requests_total\{[^}]*hot="true"[^}]*\} (\d+)/g)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      ),
  };
}

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const modern = (id: unknown, method: string, params: object = {}, meta: object = {}): object => ({
  id,
  method,
  params: { ...params, _meta: { ...envelope, ...meta } },
});
const call = (id: unknown, name: string, more: object = {}, meta: object = {}): object =>
  modern(id, "tools/call", { name, ...more }, meta);

test("every answer on a line is the same with the hot path and without", async () => {
  const lines = [await openLine(true), await openLine(false)] as const;
  const asked = [
    call(1, "echo", { arguments: { text: "first" } }),
    call(2, "echo", { arguments: { text: "hi" } }),
    call("a string", "echo"),
    call(3, "echo", { arguments: { text: 5 } }),
    call(4, "echo", { arguments: { other: 1 } }),
    call(5, "unicode"),
    call(6, "refuse"),
    call(7, "crash"),
    call(8, "nobody"),
    call(9, "operate"),
    call(10, "echo", { arguments: "no object" }),
    call(11, "echo", {}, { progressToken: 1 }),
    call(12, "who.am.i", {}, { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" }),
    call(13, "echo", {}, { "io.modelcontextprotocol/protocolVersion": "2025-11-25" }),
    call(14, "echo", {}, { "io.modelcontextprotocol/clientInfo": { name: 1 } }),
    modern(15, "tools/list"),
    modern(16, "ping"),
    { id: 17, method: "tools/call", params: { name: "echo" } },
  ];
  for (const message of asked) {
    for (const line of lines) line.say(message);
    const [hot, cold] = [await lines[0].next(), await lines[1].next()];
    expect(hot, JSON.stringify(message)).toEqual(cold);
  }
  expect(lines[0].hot()).toBe(8);
  expect(lines[1].hot()).toBe(0);
});

test("the first message is the instance's, which decides the era; a 2025 line is never hot", async () => {
  const line = await openLine(true);
  line.say(modern(0, "server/discover"));
  await line.next();
  line.say(call(1, "echo"));
  await line.next();
  expect(line.hot()).toBe(0);
  line.say(call(2, "echo"));
  await line.next();
  expect(line.hot()).toBe(1);

  const old = await openLine(true);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } };
  old.say({ id: 1, method: "initialize", params });
  await old.next();
  old.say(call(2, "echo"));
  await old.next();
  expect(old.hot()).toBe(0);
});

test("a cancelled call is told and not answered", async () => {
  const line = await openLine(true);
  let stopped = 0;
  line.dispatcher.add({
    name: "linger",
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener(
          "abort",
          () => {
            stopped++;
            reject(new SteadingError("CANCELLED", "Stopped."));
          },
          { once: true },
        );
      }),
  });
  line.say(call(1, "echo"));
  await line.next();
  line.say(call(2, "linger"));
  await expect.poll(() => line.dispatcher.calls.length).toBe(2);
  line.say({ method: "notifications/cancelled", params: { requestId: 2, _meta: envelope } });
  await expect.poll(() => stopped).toBe(1);
  line.say(call(3, "echo"));
  expect(await line.next()).toMatchObject({ id: 3 });
});

test("answers on a line are as concurrent as their calls", async () => {
  const line = await openLine(true);
  const release: (() => void)[] = [];
  line.dispatcher.add({ name: "late", run: () => new Promise((resolve) => release.push(() => resolve({}))) });
  line.say(call(1, "echo"));
  await line.next();
  line.say(call(2, "late"));
  line.say(call(2, "echo"));
  line.say(call(3, "echo"));
  await expect.poll(() => release.length).toBe(1);
  const both = [await line.next(), await line.next()].map(({ id }) => id);
  expect(new Set(both)).toEqual(new Set([2, 3]));
  release[0]?.();
  expect(await line.next()).toMatchObject({ id: 2 });
});
