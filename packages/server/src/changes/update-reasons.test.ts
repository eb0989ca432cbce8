import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { millis } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { openEvents } from "../testing/event-stream.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

const URI = "test://alerts";
const reason = { reason: "alert_created", alert_id: 7 };

async function startQuick(): Promise<TestShell> {
  shell = await startShell({ resourceUpdatedEvery: () => millis(0) });
  shell.resources.put(URI, "none");
  return shell;
}

type Transport = (at: TestShell) => StreamableHTTPClientTransport | SSEClientTransport;
const TRANSPORTS: Readonly<Record<string, Transport>> = {
  "the stream of a 2025 session": ({ mcp, admin }) =>
    new StreamableHTTPClientTransport(mcp, { requestInit: { headers: { Authorization: `Bearer ${admin}` } } }),
  "the old SSE stream": ({ mcp, admin }) => {
    const headers = { Authorization: `Bearer ${admin}` };
    const open = (url: string | URL, init: object | undefined) =>
      fetch(url, { ...init, headers: { ...headers, Accept: "text/event-stream" } });
    return new SSEClientTransport(mcp, { requestInit: { headers }, eventSourceInit: { fetch: open } });
  },
};

// @proves farm.subscription.update-meta farm.subscription.both-streams
test.each(Object.entries(TRANSPORTS))("%s tells why a resource changed", async (_, transport) => {
  const at = await startQuick();
  const client = new Client({ name: "old", version: "1" });
  const heard: unknown[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params));
  await client.connect(transport(at));
  await client.subscribeResource({ uri: URI });
  // The client opens its stream when it likes.
  await expect.poll(() => at.server.metrics()).toContain("steading_mcp_streams 1\n");
  at.resources.touch(URI, reason);
  at.resources.touch(URI);
  await expect.poll(() => heard).toEqual([{ uri: URI, _meta: reason }, { uri: URI }]);
  await client.close();
});

// @proves farm.subscription.update-meta farm.subscription.listen-2026
test("a 2026 stream tells why beside its own id", async () => {
  const at = await startQuick();
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const events = await openEvents(at.mcp, {
    method: "POST",
    headers: {
      authorization: `Bearer ${at.admin}`,
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "s-1",
      method: "subscriptions/listen",
      params: { notifications: { resourceSubscriptions: [URI] }, _meta: meta },
    }),
  });
  await events.message();
  at.resources.touch(URI, reason);
  at.resources.touch(URI);
  const own = { "io.modelcontextprotocol/subscriptionId": "s-1" };
  expect(await events.message()).toMatchObject({ params: { uri: URI, _meta: { ...reason, ...own } } });
  expect(await events.message()).toEqual({
    jsonrpc: "2.0",
    method: "notifications/resources/updated",
    params: { uri: URI, _meta: own },
  });
  events.close();
});
