import { hours, minutes } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { pick, post, send, type Posted } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

async function initialize(
  at: TestShell,
  token = at.admin,
  version = "2025-11-25",
): Promise<Posted & { session: string }> {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const answer = await send(at.mcp, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }), {
    authorization: `Bearer ${token}`,
  });
  return { ...answer, session: answer.headers.get("mcp-session-id") ?? "" };
}

const ask = (
  at: TestShell,
  session: string,
  method: string,
  params: object = {},
  headers: Record<string, string | undefined> = {},
) =>
  send(at.mcp, JSON.stringify({ jsonrpc: "2.0", id: 2, method, params }), {
    authorization: `Bearer ${at.admin}`,
    "mcp-session-id": session,
    ...headers,
  });

// @proves mcp.sessions.accepted-versions mcp.sessions.unknown-version-negotiated mcp.sessions.id-in-answer mcp.sessions.answers-are-streams mcp.endpoint.post-initialize
test.each([
  ["2025-11-25", "2025-11-25"],
  ["2025-06-18", "2025-06-18"],
  ["2025-03-26", "2025-03-26"],
  ["2024-11-05", "2024-11-05"],
  ["2024-10-07", "2024-10-07"],
  ["2099-01-01", "2025-11-25"],
])("initialize with %s opens a session of %s", async (asked, given) => {
  shell = await startShell();
  const opened = await initialize(shell, shell.admin, asked);
  expect(opened).toMatchObject({
    status: 200,
    body: { result: { protocolVersion: given, instructions: "For tests." } },
  });
  expect(opened.headers.get("content-type")).toBe("text/event-stream");
  expect(opened.session).not.toBe("");
});

// @proves mcp.result.legacy-without-modern-fields mcp.endpoint.post-session mcp.sessions.ping mcp.sessions.version-header-optional
test("a session lists and calls, without the 2026 era's fields", async () => {
  shell = await startShell();
  const { session } = await initialize(shell);
  const listed = await ask(shell, session, "tools/list");
  expect(pick<unknown[]>(listed.body, "result", "tools")).toHaveLength(6);
  const called = await ask(shell, session, "tools/call", { name: "echo", arguments: { text: "hi" } });
  expect(called.body).toMatchObject({ result: { structuredContent: { echo: "hi" } } });
  expect(await ask(shell, session, "ping")).toMatchObject({ body: { result: {} } });
  expect(listed.text + called.text).not.toMatch(/resultType|ttlMs|cacheScope/);
});

// @proves mcp.sessions.header-missing mcp.sessions.unknown mcp.sessions.foreign mcp.order.session-principal mcp.sessions.version-header-unsupported mcp.sessions.accept-both-types
test("a session is found by its id, for its own principal, with the right headers", async () => {
  shell = await startShell();
  const { session } = await initialize(shell);
  const none = { "mcp-session-id": undefined };
  expect(await ask(shell, session, "tools/list", {}, none)).toMatchObject({
    status: 400,
    body: { error: { code: -32000 } },
  });
  expect(await ask(shell, "nope", "tools/list")).toMatchObject({ status: 404, body: { error: { code: -32001 } } });
  const foreign = { authorization: `Bearer ${shell.viewer}` };
  expect(await ask(shell, session, "tools/list", {}, foreign)).toMatchObject({
    status: 404,
    body: { error: { code: -32001 } },
  });
  expect(await ask(shell, session, "tools/list", {}, { "mcp-protocol-version": "1999-01-01" })).toMatchObject({
    status: 400,
    body: { error: { code: -32000 } },
  });
  expect(await ask(shell, session, "tools/list", {}, { accept: "application/json" })).toMatchObject({ status: 406 });
});

// @proves mcp.errors.resource-not-found-legacy
test("an unknown resource is -32002 to a 2025 client", async () => {
  shell = await startShell();
  const { session } = await initialize(shell);
  expect(await ask(shell, session, "resources/read", { uri: "test://none" })).toMatchObject({
    body: { error: { code: -32002 } },
  });
});

// @proves mcp.order.modern-never-to-session
test("a 2026 request with a live session id does not reach that session", async () => {
  shell = await startShell();
  const { session } = await initialize(shell);
  const answer = await post(
    shell.mcp,
    "tools/list",
    {},
    { token: shell.admin, headers: { "mcp-session-id": session } },
  );
  expect(answer).toMatchObject({ status: 200, body: { result: { resultType: "complete" } } });
});

// @proves mcp.limits.sessions-total mcp.endpoint.delete-ends-session mcp.sessions.closed mcp.sessions.delete-frees-at-once
test("DELETE frees the place of a session at once", async () => {
  shell = await startShell({ limits: { sessions: 1 } });
  const { session } = await initialize(shell);
  expect(await initialize(shell)).toMatchObject({ status: 429 });
  const headers = { authorization: `Bearer ${shell.admin}`, "mcp-session-id": session };
  expect(await send(shell.mcp, undefined, headers, "DELETE")).toMatchObject({ status: 200 });
  expect(await ask(shell, session, "tools/list")).toMatchObject({ status: 404 });
  expect(await initialize(shell)).toMatchObject({ status: 200 });
});

// @proves mcp.limits.sessions-per-principal
test("one principal's sessions are bounded, others are not held up by it", async () => {
  shell = await startShell({ limits: { sessionsPerPrincipal: 1 } });
  await initialize(shell);
  const refused = await initialize(shell);
  expect(refused).toMatchObject({ status: 429, body: { error: { code: -32000 } } });
  expect(refused.headers.get("retry-after")).toBe("60");
  expect(await initialize(shell, shell.viewer)).toMatchObject({ status: 200 });
});

// @proves mcp.sessions.idle-expiry
test("a session idle for half an hour is ended, a used one is not", async () => {
  shell = await startShell();
  const { session } = await initialize(shell);
  await shell.clock.advance(minutes(29));
  expect(await ask(shell, session, "ping")).toMatchObject({ status: 200 });
  await shell.clock.advance(minutes(29));
  expect(await ask(shell, session, "ping")).toMatchObject({ status: 200 });
  await shell.clock.advance(minutes(31));
  expect(await ask(shell, session, "ping")).toMatchObject({ status: 404 });
});

// @proves mcp.sessions.absolute-expiry
test("a session ends after a day, however busy", async () => {
  shell = await startShell();
  const { session } = await initialize(shell);
  for (let i = 0; i < 47; i++) {
    await shell.clock.advance(minutes(29));
    expect((await ask(shell, session, "ping")).status).toBe(200);
  }
  await shell.clock.advance(hours(2));
  expect((await ask(shell, session, "ping")).status).toBe(404);
});

test("an initialize that is refused leaves no session behind", async () => {
  shell = await startShell({ limits: { sessions: 1 } });
  const refused = await send(
    shell.mcp,
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } },
    }),
    {
      authorization: `Bearer ${shell.admin}`,
      accept: "application/json",
    },
  );
  expect(refused.status).toBe(406);
  expect(await initialize(shell)).toMatchObject({ status: 200 });
});

async function openStream(at: TestShell, session: string): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const response = await fetch(at.mcp, {
    headers: { authorization: `Bearer ${at.admin}`, accept: "text/event-stream", "mcp-session-id": session },
  });
  expect(response.status).toBe(200);
  if (response.body === null) throw new Error("no stream");
  return response.body.getReader();
}
async function nextText(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> {
  const { done, value } = await reader.read();
  return done ? undefined : new TextDecoder().decode(value);
}

// @proves mcp.endpoint.get-session-stream mcp.sessions.new-get-stream-wins mcp.sessions.list-changed-unsolicited
test("the GET stream asked for last gets the news, the one before ends", async () => {
  shell = await startShell();
  const { session } = await initialize(shell);
  const first = await openStream(shell, session);
  const second = await openStream(shell, session);
  expect(await nextText(first)).toBeUndefined();
  shell.dispatcher.add({ name: "extra", run: () => ({}) });
  expect(await nextText(second)).toContain("notifications/tools/list_changed");
});

// @proves mcp.sessions.updated-to-subscribers-only mcp.sessions.subscribe-checks-permission mcp.sessions.list-changed-own-view-only mcp.sessions.unsubscribe-stops
test("a session hears of the resources it subscribed to, and of no list that looks the same to it", async () => {
  shell = await startShell();
  shell.resources.put("test://doc/1", "one");
  shell.resources.put("test://doc/2", "two");
  const { session } = await initialize(shell);
  expect(await ask(shell, session, "resources/subscribe", { uri: "test://doc/none" })).toMatchObject({
    body: { error: { code: -32002 } },
  });
  expect(await ask(shell, session, "resources/subscribe", { uri: "test://doc/2" })).toMatchObject({
    body: { result: {} },
  });
  await shell.clock.advance(minutes(1));
  const stream = await openStream(shell, session);
  shell.dispatcher.touch();
  shell.resources.put("test://doc/1", "changed");
  shell.resources.put("test://doc/2", "changed");
  expect(await nextText(stream)).toContain('"uri":"test://doc/2"');
  await ask(shell, session, "resources/unsubscribe", { uri: "test://doc/2" });
  await shell.clock.advance(minutes(1));
  shell.resources.put("test://doc/2", "again");
  shell.dispatcher.add({ name: "extra", run: () => ({}) });
  expect(await nextText(stream)).toContain("notifications/tools/list_changed");
});

// @proves mcp.endpoint.post-session-batch mcp.sessions.batch-of-100 mcp.limits.batch
test("a batch of 2025 messages is answered on one stream", async () => {
  shell = await startShell();
  const { session } = await initialize(shell, shell.admin, "2025-03-26");
  const batch = Array.from({ length: 100 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
  const answer = await send(shell.mcp, JSON.stringify(batch), {
    authorization: `Bearer ${shell.admin}`,
    "mcp-session-id": session,
  });
  expect(answer.text.match(/^data: \{/gm)).toHaveLength(100);
  const tooMany = await send(shell.mcp, JSON.stringify([...batch, { jsonrpc: "2.0", id: 100, method: "ping" }]), {
    authorization: `Bearer ${shell.admin}`,
    "mcp-session-id": session,
  });
  expect(tooMany).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
});

test("a GET stream ends when its token expires", async () => {
  shell = await startShell();
  const { token } = await shell.tokens.create({ principal: "anna", role: "admin", label: "short", validFor: hours(1) });
  const { session } = await initialize(shell, token);
  const response = await fetch(shell.mcp, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream", "mcp-session-id": session },
  });
  const reader = response.body?.getReader();
  await shell.clock.advance(hours(1));
  expect(await reader?.read()).toMatchObject({ done: true });
});
