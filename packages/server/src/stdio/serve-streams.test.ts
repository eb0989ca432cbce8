import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { seconds } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell;
beforeEach(async () => {
  shell = await startShell();
});
afterEach(() => shell.close());

function attach() {
  const input = new PassThrough();
  const output = new PassThrough();
  const served = shell.server.serveStdio({ input, output, caller: { principal: "parent", role: "operator" } });
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  return {
    served,
    input,
    say: (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    hear: async () => JSON.parse(String((await lines.next()).value)) as unknown,
  };
}
const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const initialize = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } },
};

// @proves mcp.stdio.era-by-first-message
test("the first message fixes the era", async () => {
  const modern = attach();
  modern.say({ id: 1, method: "tools/call", params: { name: "who.am.i", _meta } });
  expect(await modern.hear()).toMatchObject({
    id: 1,
    result: {
      resultType: "complete",
      structuredContent: { principal: "parent", role: "operator", transport: "stdio" },
    },
  });
  modern.say({ ...initialize, id: 2 });
  expect(await modern.hear()).toMatchObject({ id: 2, error: {} });

  const old = attach();
  old.say(initialize);
  expect(await old.hear()).toMatchObject({ id: 1, result: { protocolVersion: "2025-11-25" } });
  old.say({ id: 2, method: "tools/call", params: { name: "echo", arguments: { text: "hi" } } });
  expect(await old.hear()).toMatchObject({ id: 2, result: { structuredContent: { echo: "hi" } } });
});

// @proves mcp.stdio.probe-then-initialize
test("a client that probes with server/discover may still fall back to initialize", async () => {
  const client = attach();
  client.say({ id: 0, method: "server/discover", params: { _meta } });
  expect(await client.hear()).toMatchObject({ id: 0, result: { supportedVersions: ["2026-07-28"] } });
  client.say(initialize);
  expect(await client.hear()).toMatchObject({ id: 1, result: { protocolVersion: "2025-11-25" } });
  client.say({ method: "notifications/initialized" });
  client.say({ id: 2, method: "ping" });
  expect(await client.hear()).toMatchObject({ id: 2, result: {} });
  shell.dispatcher.add({ name: "extra", run: () => ({}) });
  expect(await client.hear()).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
});

// @proves mcp.cancel.stdio mcp.cancel.no-response-after
test("a cancelled call is stopped and not answered", async () => {
  const client = attach();
  client.say({ id: 1, method: "tools/call", params: { name: "wait", _meta } });
  await expect.poll(() => shell.dispatcher.calls.length).toBe(1);
  client.say({ method: "notifications/cancelled", params: { requestId: 1, _meta } });
  await expect.poll(() => shell.dispatcher.calls[0]?.signal?.aborted).toBe(true);
  client.say({ id: 2, method: "tools/call", params: { name: "echo", _meta } });
  expect(await client.hear()).toMatchObject({ id: 2 });
});

test("the end of the input ends the service", async () => {
  const client = attach();
  client.input.end();
  await client.served.ended;
});

test("an update on a line tells why, in both eras", async () => {
  shell.resources.put("test://doc/1", "one");
  const modern = attach();
  modern.say({
    id: "s",
    method: "subscriptions/listen",
    params: { notifications: { resourceSubscriptions: ["test://doc/1"] }, _meta },
  });
  expect(await modern.hear()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
  const old = attach();
  old.say(initialize);
  await old.hear();
  old.say({ id: 2, method: "resources/subscribe", params: { uri: "test://doc/1" } });
  expect(await old.hear()).toMatchObject({ id: 2, result: {} });
  await shell.clock.advance(seconds(5));
  shell.resources.touch("test://doc/1", { reason: "rain" });
  const told = { uri: "test://doc/1", _meta: { reason: "rain" } };
  expect(await old.hear()).toMatchObject({ method: "notifications/resources/updated", params: told });
  expect(await modern.hear()).toMatchObject({ method: "notifications/resources/updated", params: told });
});
