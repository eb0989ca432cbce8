import { minutes, seconds } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import {
  bearer,
  initialize,
  notification,
  openOldStream,
  openSession,
  request,
  startOldHubShell,
} from "./testing/old-hub-shell.ts";
import { pick, send } from "./testing/post.ts";
import type { TestShell } from "./testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

// @proves farm.mcp.initialize farm.mcp.versions farm.mcp.server-info farm.mcp.plain-json farm.mcp.session-id
test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
  "a client of %s gets a session and plain JSON, and needs no version header",
  async (version) => {
    shell = await startOldHubShell();
    const session = await openSession(shell, shell.admin, version);
    expect(session.opened).toMatchObject({
      status: 200,
      body: { id: 2, result: { protocolVersion: version, serverInfo: { name: "sensehub", version: "1.0.0" } } },
    });
    expect(session.id).toMatch(new RegExp(`^${UUID}$`));
    const listed = await session.ask("tools/list");
    for (const { headers } of [session.opened, listed]) expect(headers.get("content-type")).toBe("application/json");
    expect(pick<{ name: string }[]>(listed.body, "result", "tools").map(({ name }) => name)).toContain("echo");
  },
);

// @proves farm.client-mcp.sequence farm.mcp.notifications farm.mcp.plain-json
test("the client in the field opens a session, says so, and calls, with the same id each time", async () => {
  shell = await startOldHubShell();
  for (let round = 0; round < 3; round++) {
    const { headers, ask } = await openSession(shell);
    const told = await send(shell.mcp, notification("notifications/initialized"), headers);
    expect(told).toMatchObject({ status: 202, text: "" });
    const called = await ask("tools/call", { name: "echo", arguments: { text: `round ${round}` } });
    expect(called.headers.get("content-type")).toBe("application/json");
    expect(JSON.parse(pick(called.body, "result", "content", 0, "text"))).toEqual({ echo: `round ${round}` });
  }
});

// @proves farm.mcp.first-frame
test("an answer has no frame in front of it, whatever the client's revision", async () => {
  shell = await startOldHubShell();
  const { headers } = await openSession(shell, shell.admin, "2025-11-25");
  const answer = await send(shell.mcp, request("ping"), { ...headers, "mcp-protocol-version": "2025-11-25" });
  expect(answer.text).toBe('{"result":{},"jsonrpc":"2.0","id":2}');
});

test("a call whose session ends is answered at once, and not left hanging", async () => {
  shell = await startOldHubShell();
  let started = (): void => {};
  const running = new Promise<void>((resolve) => (started = resolve));
  shell.dispatcher.add({ name: "never", run: () => (started(), new Promise(() => {})) });
  const { headers, ask } = await openSession(shell);
  const call = ask("tools/call", { name: "never" });
  await running;
  expect(await send(shell.mcp, undefined, headers, "DELETE")).toMatchObject({ status: 200 });
  expect(await call).toMatchObject({ status: 404, body: { error: { code: -32001 } } });
});

// @proves farm.mcp.delete farm.mcp.unknown-session
test("DELETE ends a session, and an ended, foreign or invented one is 404 for every method", async () => {
  shell = await startOldHubShell();
  const { headers } = await openSession(shell);
  const vera = await openSession(shell, shell.viewer);
  expect(await send(shell.mcp, undefined, headers, "DELETE")).toMatchObject({ status: 200 });
  const invented = { ...headers, "mcp-session-id": "00000000-0000-4000-8000-000000000000" };
  const foreign = { ...headers, "mcp-session-id": vera.id };
  for (const session of [headers, invented, foreign]) {
    expect(await send(shell.mcp, request("ping"), session)).toMatchObject({ status: 404 });
    expect(await send(shell.mcp, undefined, { ...session, accept: "text/event-stream" }, "GET")).toMatchObject({
      status: 404,
    });
    expect(await send(shell.mcp, undefined, session, "DELETE")).toMatchObject({ status: 404 });
  }
});

// @proves farm.mcp.session-idle farm.mcp.unknown-session
test("a session idle for half an hour is 404", async () => {
  shell = await startOldHubShell();
  const { ask } = await openSession(shell);
  await shell.clock.advance(minutes(31));
  expect(await ask("ping")).toMatchObject({ status: 404 });
});

// @proves farm.mcp.session-caps
test("a client that opens a session for each call is never turned away", async () => {
  shell = await startOldHubShell();
  const first = await openSession(shell);
  for (let n = 0; n < 64; n++) {
    await shell.clock.advance(seconds(1));
    expect((await openSession(shell)).opened.status).toBe(200);
  }
  expect(await first.ask("ping")).toMatchObject({ status: 404 });
  expect(shell.server.metrics()).toContain('steading_mcp_connections{transport="http"} 64\n');
});

// @proves farm.mcp.legacy-get farm.mcp.legacy-get-html
test("GET without a session opens the old transport for any Accept but a browser's", async () => {
  shell = await startOldHubShell();
  for (const accept of [{ accept: "text/event-stream" }, { accept: "*/*" }, { accept: "application/json" }, {}]) {
    const { events, first } = await openOldStream(shell, { ...bearer(shell.admin), ...accept });
    expect(first).toMatch(new RegExp(`^/mcp\\?sessionId=${UUID}$`));
    expect(events.headers.get("content-type")).toBe("text/event-stream");
    events.close();
  }
  const browser = await send(shell.mcp, undefined, { ...bearer(shell.admin), accept: "text/html,*/*" }, "GET");
  expect(browser.status).toBe(405);
});

// @proves farm.mcp.legacy-post farm.mcp.legacy-post-shell-path farm.mcp-auth.sse-post-without-header
test("messages of the old transport are taken at both addresses, without a header of their own", async () => {
  shell = await startOldHubShell();
  const { events, endpoint } = await openOldStream(shell);
  expect(await send(endpoint, initialize(), {})).toMatchObject({ status: 202 });
  expect(await events.next()).toMatchObject({ event: "message", data: expect.stringContaining('"sensehub"') });
  const other = `${shell.url}/mcp/messages${endpoint.search}`;
  expect(await send(other, request("tools/call", { name: "echo", arguments: { text: "hi" } }), {})).toMatchObject({
    status: 202,
  });
  expect(await events.message()).toMatchObject({ id: 2, result: { structuredContent: { echo: "hi" } } });
});

// @proves farm.mcp-auth.sse-post-other-user farm.mcp-auth.bearer
test("a message with a header must be of whoever opened the stream", async () => {
  shell = await startOldHubShell();
  const { endpoint } = await openOldStream(shell);
  expect(await send(endpoint, request("ping"), bearer(shell.admin))).toMatchObject({ status: 202 });
  expect(await send(endpoint, request("ping"), bearer(shell.viewer))).toMatchObject({ status: 404 });
  expect(await send(endpoint, request("ping"), bearer("nobody"))).toMatchObject({ status: 401 });
});

test("an old stream too many ends the one unheard of for longest", async () => {
  shell = await startOldHubShell({ limits: { streamsPerPrincipal: 2 } });
  const first = await openOldStream(shell);
  await shell.clock.advance(seconds(1));
  const second = await openOldStream(shell);
  await shell.clock.advance(seconds(1));
  await send(first.endpoint, request("ping"), {});
  expect(await first.events.message()).toMatchObject({ result: {} });
  await openOldStream(shell);
  expect(await second.events.message()).toBeUndefined();
  expect(await send(first.endpoint, request("ping"), {})).toMatchObject({ status: 202 });
  expect(shell.server.metrics()).toContain('steading_mcp_sessions_gave_way_total{transport="http+sse"} 1\n');
});

// @proves farm.mcp.body-limit
test("a body over a megabyte is refused on both transports", async () => {
  shell = await startOldHubShell();
  const { headers } = await openSession(shell);
  const { endpoint } = await openOldStream(shell);
  const large = request("ping", { _meta: { filler: "x".repeat(1_048_576) } });
  expect(await send(shell.mcp, large, headers)).toMatchObject({ status: 413 });
  expect(await send(endpoint, large, {})).toMatchObject({ status: 413 });
});

test("nothing but MCP and health is served there", async () => {
  shell = await startOldHubShell();
  for (const path of ["/metrics", "/mcp/essential", "/mcp/tests", "/api/health"])
    expect(await send(`${shell.url}${path}`, undefined, bearer(shell.admin), "GET")).toMatchObject({ status: 404 });
  expect(await send(`${shell.url}/health`, undefined, {}, "GET")).toMatchObject({ text: '{"status":"ok"}' });
});
