import { PassThrough, Writable } from "node:stream";
import { createInterface } from "node:readline";
import { hours, minutes } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

function attach(at: TestShell, role: "viewer" | "operator" = "operator") {
  const input = new PassThrough();
  const output = new PassThrough();
  const served = at.server.serveStdio({ input, output, caller: { principal: "parent", role } });
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  return {
    input,
    served,
    say: (message: object) => input.write(line(message)),
    hear: async () => JSON.parse(String((await lines.next()).value)) as unknown,
  };
}

// @proves mcp.limits.concurrent-stdio
test("too many calls at a time are refused with an internal error", async () => {
  shell = await startShell({ limits: { callsPerPrincipal: 1 } });
  const client = attach(shell);
  client.say({ id: 1, method: "tools/call", params: { name: "wait", _meta } });
  await expect.poll(() => shell?.dispatcher.calls.length).toBe(1);
  client.say({ id: 2, method: "tools/call", params: { name: "echo", _meta } });
  expect(await client.hear()).toMatchObject({ id: 2, error: { code: -32603 } });
});

// @proves mcp.stdio.input-limit
test("a line that never ends is not kept for ever", async () => {
  shell = await startShell({ limits: { lineBytes: 10_000 } });
  const client = attach(shell);
  client.input.write("x".repeat(20_000));
  await client.served.ended;
});

test("what the caller may not read is left out of its subscription, and later messages do not overtake it", async () => {
  shell = await startShell();
  shell.resources.put("test://doc/open", "o");
  shell.resources.put("test://doc/secret", "s", "admin");
  await shell.clock.advance(minutes(1));
  const client = attach(shell, "viewer");
  const notifications = { resourceSubscriptions: ["test://doc/secret", "test://doc/open"] };
  client.say({ id: 1, method: "subscriptions/listen", params: { notifications, _meta } });
  client.say({ id: 2, method: "tools/call", params: { name: "echo", _meta } });
  expect(await client.hear()).toMatchObject({
    method: "notifications/subscriptions/acknowledged",
    params: { notifications: { resourceSubscriptions: ["test://doc/open"] } },
  });
  expect(await client.hear()).toMatchObject({ id: 2 });
  shell.resources.put("test://doc/secret", "changed", "admin");
  shell.resources.put("test://doc/open", "changed");
  expect(await client.hear()).toMatchObject({
    method: "notifications/resources/updated",
    params: { uri: "test://doc/open" },
  });
});

// @proves mcp.stdio.listen-results-on-close
test("closing sends the results of open subscriptions first", async () => {
  shell = await startShell();
  const client = attach(shell);
  client.say({ id: "L", method: "subscriptions/listen", params: { notifications: { toolsListChanged: true }, _meta } });
  await client.hear();
  void client.served.close();
  expect(await client.hear()).toMatchObject({ id: "L", result: { resultType: "complete" } });
});

// @proves mcp.stdio.fan-out-removed-on-close mcp.stdio.build-without-side-effects
test("a line that is gone hears of nothing any more", async () => {
  shell = await startShell();
  const output = new PassThrough();
  const input = new PassThrough();
  const served = shell.server.serveStdio({ input, output, caller: { principal: "parent", role: "operator" } });
  input.write(line({ id: 1, method: "server/discover", params: { _meta } }));
  await new Promise((resolve) => output.once("data", resolve));
  input.end();
  await served.ended;
  const written: unknown[] = [];
  output.on("data", (data) => written.push(data));
  shell.dispatcher.add({ name: "extra", run: () => ({}) });
  await shell.clock.advance(minutes(1));
  expect(written).toEqual([]);
});

test("a client that reads nothing is not read from, and cut off when its notifications pile up", async () => {
  shell = await startShell({ limits: { unreadBytes: 20_000, resourceUpdatedEvery: minutes(0) } });
  const uri = `test://doc/${"x".repeat(1_000)}`;
  shell.resources.put(uri, "text");
  await shell.clock.advance(minutes(1));
  const input = new PassThrough();
  // Takes one piece and then never asks for more.
  const output = new Writable({ highWaterMark: 1, write() {} });
  const served = shell.server.serveStdio({ input, output, caller: { principal: "parent", role: "operator" } });
  input.write(
    line({ id: 1, method: "subscriptions/listen", params: { notifications: { resourceSubscriptions: [uri] }, _meta } }),
  );
  await expect.poll(() => output.writableLength).toBeGreaterThan(0);
  for (let i = 0; i < 50; i++) {
    shell.resources.put(uri, String(i));
    await shell.clock.advance(minutes(0));
  }
  await served.ended;
  expect(output.writableLength).toBeLessThan(60_000);
});

// @proves mcp.pitfalls.stdio-no-caller-state mcp.pitfalls.capabilities-per-request mcp.stdio.no-http-context mcp.auth.stdio-trusted
test("what one request declared does not count for the next one on the same line", async () => {
  shell = await startShell();
  shell.dispatcher.add({ name: "dig", deadline: hours(1), run: () => ({ dug: true }) });
  const client = attach(shell);
  const extensions = { "io.modelcontextprotocol/tasks": {} };
  const declared = { ..._meta, "io.modelcontextprotocol/clientCapabilities": { extensions } };
  client.say({ id: 1, method: "tools/call", params: { name: "dig", _meta: declared } });
  expect(await client.hear()).toMatchObject({ id: 1, result: { resultType: "task" } });
  client.say({ id: 2, method: "tools/call", params: { name: "dig", _meta } });
  expect(await client.hear()).toMatchObject({
    id: 2,
    result: { resultType: "complete", structuredContent: { dug: true } },
  });
});

// @proves mcp.stdio.one-message-per-line
test("each message is one line, whatever its text holds", async () => {
  shell = await startShell();
  shell.dispatcher.add({ name: "lines", run: () => ({ text: "one\ntwo\r\nthree\u2028four ä" }) });
  const output = new PassThrough();
  const input = new PassThrough();
  shell.server.serveStdio({ input, output, caller: { principal: "parent", role: "operator" } });
  input.write(line({ id: 1, method: "tools/call", params: { name: "lines", _meta } }));
  const [written] = (await new Promise((resolve) => output.once("data", (data: Buffer) => resolve([data])))) as [
    Buffer,
  ];
  expect(written.toString("utf8").split("\n")).toHaveLength(2);
  expect(written.at(-1)).toBe(0x0a);
  input.end();
});
