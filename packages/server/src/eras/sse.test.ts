import { hours, seconds } from "@steading/kernel";
import { Client, SSEClientTransport } from "@modelcontextprotocol/client";
import { afterEach, expect, test } from "vitest";
import { openEvents, type EventReader } from "../testing/event-stream.ts";
import { send } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const ping = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" });
const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "old", version: "1" } },
});

async function open(
  at: TestShell,
  headers: Record<string, string> = bearer(at.admin),
): Promise<{ events: EventReader; endpoint: URL }> {
  const events = await openEvents(at.mcp, { headers });
  const first = await events.next();
  expect(first?.event).toBe("endpoint");
  return { events, endpoint: new URL(first?.data ?? "", at.mcp) };
}

// @proves mcp.endpoint.get-opens-sse mcp.sse.endpoint-event mcp.sse.endpoint-same-origin mcp.sse.no-proxy-buffering mcp.sse.session-id-entropy
test("a GET without a session opens the old transport and names the address for messages", async () => {
  shell = await startShell();
  const { events, endpoint } = await open(shell);
  expect(endpoint.origin).toBe(shell.url);
  expect(endpoint.pathname).toBe("/mcp/messages");
  expect(endpoint.searchParams.get("sessionId")).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(events.headers.get("x-accel-buffering")).toBe("no");
  expect(events.headers.get("content-type")).toBe("text/event-stream");
});

// @proves mcp.sse.accept-not-demanded mcp.endpoint.get-html-not-sse
test("any Accept opens the stream, only a browser is turned away with a sentence", async () => {
  shell = await startShell();
  for (const accept of ["text/event-stream", "*/*", "application/json"])
    await open(shell, { ...bearer(shell.admin), accept });
  const browser = await send(shell.mcp, undefined, { ...bearer(shell.admin), accept: "text/html,*/*" }, "GET");
  expect(browser).toMatchObject({ status: 405, body: { error: { message: expect.stringContaining("MCP client") } } });
});

// @proves mcp.endpoint.sse-messages-path mcp.endpoint.sse-mcp-path mcp.sse.both-message-paths mcp.sse.message-accepted mcp.sse.negotiates-2025
test("messages are taken at both addresses and answered on the stream", async () => {
  shell = await startShell();
  const { events, endpoint } = await open(shell);
  expect(await send(endpoint, initialize, bearer(shell.admin))).toMatchObject({ status: 202, text: "Accepted" });
  expect(await events.message()).toMatchObject({ id: 1, result: { protocolVersion: "2024-11-05" } });
  const other = `${shell.url}/mcp${endpoint.search}`;
  expect(await send(other, ping, bearer(shell.admin))).toMatchObject({ status: 202 });
  expect(await events.message()).toMatchObject({ id: 7, result: {} });
});

// @proves mcp.sse.message-unknown-session mcp.sse.message-media-type mcp.sse.message-size mcp.sse.auth-on-get mcp.sse.auth-on-post mcp.sse.post-auth-default mcp.sse.post-principal mcp.sse.unauthorized-answer mcp.order.auth-on-sse-legs
test("each leg checks its credentials, the session and the message", async () => {
  shell = await startShell();
  const refused = await send(shell.mcp, undefined, {}, "GET");
  expect(refused.status).toBe(401);
  expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token"/);
  expect(refused.text.length).toBeLessThan(200);

  const { endpoint } = await open(shell);
  expect(await send(endpoint, ping, {})).toMatchObject({ status: 401 });
  expect(await send(endpoint, ping, bearer(shell.viewer))).toMatchObject({ status: 404 });
  expect(await send(`${shell.url}/mcp/messages?sessionId=nobody`, ping, bearer(shell.admin))).toMatchObject({
    status: 404,
  });
  expect(await send(`${shell.url}/mcp/messages`, ping, bearer(shell.admin))).toMatchObject({ status: 404 });
  expect(await send(endpoint, ping, { ...bearer(shell.admin), "content-type": "text/plain" })).toMatchObject({
    status: 400,
  });
  expect(await send(endpoint, "{", bearer(shell.admin))).toMatchObject({ status: 400 });
  expect(await send(endpoint, "{}", bearer(shell.admin))).toMatchObject({ status: 400 });
  expect(await send(endpoint, `"${"x".repeat(4 * 1024 * 1024)}"`, bearer(shell.admin))).toMatchObject({ status: 413 });
});

// @proves mcp.sse.post-auth-session
test("where the setting says so, a message may lean on the stream's credentials", async () => {
  shell = await startShell({ ssePostAuth: "session" });
  const { events, endpoint } = await open(shell);
  expect(await send(endpoint, initialize, {})).toMatchObject({ status: 202 });
  expect(await events.message()).toMatchObject({ id: 1 });
  expect(await send(endpoint, ping, bearer(shell.viewer))).toMatchObject({ status: 404 });
  expect(await send(`${shell.url}/mcp/messages?sessionId=nobody`, ping, {})).toMatchObject({ status: 401 });
});

// @proves mcp.sse.closed-at-expiry mcp.auth.streams-end-at-expiry
test("the stream ends with its token, and so does the leaning on it", async () => {
  shell = await startShell({ ssePostAuth: "session" });
  const { token } = await shell.tokens.create({ principal: "anna", role: "admin", label: "short", validFor: hours(1) });
  const { events, endpoint } = await open(shell, bearer(token));
  await shell.clock.advance(hours(1));
  expect(await events.message()).toBeUndefined();
  expect(await send(endpoint, ping, {})).toMatchObject({ status: 401 });
});

test("a stream ends when its token is revoked, others go on", async () => {
  shell = await startShell();
  const { token, record } = await shell.tokens.create({ principal: "otto", role: "viewer", label: "test" });
  const { events } = await open(shell, bearer(token));
  const other = await open(shell);
  await shell.tokens.revoke(record.id);
  expect(await events.next()).toBeUndefined();
  await send(other.endpoint, initialize, bearer(shell.admin));
  expect(await other.events.message()).toMatchObject({ id: 1 });
});

// @proves mcp.sse.keep-alive
test("a quiet stream carries a comment every fifteen seconds", async () => {
  shell = await startShell();
  const { events } = await open(shell);
  await shell.clock.advance(seconds(15));
  expect(await events.next()).toEqual({ comment: "keepalive" });
  await shell.clock.advance(seconds(15));
  expect(await events.next()).toEqual({ comment: "keepalive" });
});

// @proves mcp.sse.counted
test("such connections are visible in the metrics", async () => {
  shell = await startShell();
  await open(shell);
  const answer = await send(`${shell.url}/metrics`, undefined, bearer(shell.viewer), "GET");
  expect(answer.text).toContain('steading_mcp_connections{transport="http+sse"} 1');
  expect(await send(`${shell.url}/metrics`, undefined, {}, "GET")).toMatchObject({ status: 401 });
});

// @proves mcp.sse.full-features
test("a client of this transport calls, sees progress and hears of changes", async () => {
  shell = await startShell();
  shell.resources.put("test://doc/1", "one");
  const client = new Client({ name: "sse", version: "1" });
  const heard: string[] = [];
  client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  const headers = { Authorization: `Bearer ${shell.admin}` };
  await client.connect(
    new SSEClientTransport(shell.mcp, {
      requestInit: { headers },
      eventSourceInit: {
        fetch: (url, init) => fetch(url, { ...init, headers: { ...headers, Accept: "text/event-stream" } }),
      },
    }),
  );
  expect(await client.callTool({ name: "echo", arguments: { text: "hi" } })).toMatchObject({
    structuredContent: { echo: "hi" },
  });
  let release = (): void => {};
  shell.dispatcher.add({
    name: "stepwise",
    run: (_, { progress }) =>
      new Promise((resolve) => {
        release = () => resolve({ done: true });
        progress(1, 2);
      }),
  });
  const progress: number[] = [];
  await client.callTool(
    { name: "stepwise" },
    {
      onprogress({ progress: done }) {
        progress.push(done);
        release();
      },
    },
  );
  expect(progress).toEqual([1]);
  await client.subscribeResource({ uri: "test://doc/1" });
  await shell.clock.advance(seconds(10));
  heard.length = 0;
  shell.resources.put("test://doc/1", "changed");
  shell.dispatcher.add({ name: "extra", run: () => ({}) });
  await expect.poll(() => heard).toEqual(["test://doc/1", "tools"]);
  await client.close();
});
