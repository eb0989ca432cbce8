import { afterEach, expect, test } from "vitest";
import { createLocalBus } from "./changes/change-bus.ts";
import { openEvents } from "./testing/event-stream.ts";
import { pick, post, send } from "./testing/post.ts";
import { startShell, type TestShell } from "./testing/start-shell.ts";

const shells: TestShell[] = [];
afterEach(async () => {
  await Promise.all(shells.splice(0).map((shell) => shell.close()));
});
async function start(...given: Parameters<typeof startShell>): Promise<TestShell> {
  const shell = await startShell(...given);
  shells.push(shell);
  return shell;
}

// @proves mcp.address.listen-setting mcp.endpoint.port-configurable
test("a listener for one toolset shows that at /mcp and has no other address for MCP", async () => {
  const shell = await start();
  const { url } = await shell.server.listen({ host: "127.0.0.1", port: 0, serve: ["mcp:works"] });
  const list = await post(`${url}/mcp`, "tools/list", {}, { token: shell.admin });
  expect(pick<{ name: string }[]>(list.body, "result", "tools").map(({ name }) => name)).toEqual(["operate"]);
  expect(await post(`${url}/mcp`, "tools/call", { name: "echo" }, { token: shell.admin })).toMatchObject({
    body: { error: { code: -32602 } },
  });
  expect(await post(`${url}/mcp/tests`, "tools/list", {}, { token: shell.admin })).toMatchObject({ status: 404 });
  expect(await send(`${url}/health`, undefined, {}, "GET")).toMatchObject({ status: 200 });
});

// @proves mcp.address.probes
test("the probes and the metrics are on the hub's port", async () => {
  const shell = await start();
  for (const path of ["/healthz", "/readyz", "/metrics"]) {
    expect(
      await send(`${shell.url}${path}`, undefined, { authorization: `Bearer ${shell.viewer}` }, "GET"),
    ).toMatchObject({ status: 200 });
  }
});

// @proves mcp.listen.broker-seam
test("a change published by another process of the site reaches the streams here", async () => {
  const bus = createLocalBus();
  const shell = await start({ changeBus: bus });
  shell.resources.put("test://doc/1", "one");
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const events = await openEvents(shell.mcp, {
    method: "POST",
    headers: {
      authorization: `Bearer ${shell.admin}`,
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "subscriptions/listen",
      params: { notifications: { resourceSubscriptions: ["test://doc/1"] }, _meta },
    }),
  });
  await events.message();
  bus.publish({ kind: "resource", uri: "test://doc/1" });
  expect(await events.message()).toMatchObject({ params: { uri: "test://doc/1" } });
});

// @proves mcp.sessions.shutdown-closes mcp.sessions.own-instance
test("each session has an instance of its own, and closing ends their streams", async () => {
  const shell = await start();
  const open = async (version: string) => {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: "old", version: "1" } };
    const answer = await send(shell.mcp, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }), {
      authorization: `Bearer ${shell.admin}`,
    });
    return answer.headers.get("mcp-session-id") ?? "";
  };
  const sessions = [await open("2025-11-25"), await open("2024-11-05")];
  expect(new Set(sessions).size).toBe(2);
  const streams = await Promise.all(
    sessions.map((session) =>
      openEvents(shell.mcp, {
        headers: { authorization: `Bearer ${shell.admin}`, accept: "text/event-stream", "mcp-session-id": session },
      }),
    ),
  );
  void shell.close();
  for (const stream of streams) expect(await stream.message().catch(() => undefined)).toBeUndefined();
});
