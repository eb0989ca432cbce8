import { hours, millis, minutes, seconds } from "@steading/kernel";
import { afterEach, expect, test, vi } from "vitest";
import { openEvents, type EventReader } from "../testing/event-stream.ts";
import { post, send } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

function listen(
  at: TestShell,
  notifications: unknown,
  { token = at.admin, id = "L1" as string | number, path = "/mcp", capabilities = {} } = {},
): Promise<EventReader> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  return openEvents(`${at.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method: "subscriptions/listen", params: { notifications, _meta } }),
  });
}
const acknowledged = (notifications: object, id: string | number = "L1") => ({
  jsonrpc: "2.0",
  method: "notifications/subscriptions/acknowledged",
  params: { notifications, _meta: { [SUBSCRIPTION]: id } },
});

// @proves mcp.listen.acknowledged-first mcp.listen.subscription-id mcp.order.listen-routing mcp.methods.listen-served
test.each(["L1", 7])(
  "the first message acknowledges what is honoured and carries the id %j as it was sent",
  async (id) => {
    shell = await startShell();
    shell.resources.put("test://doc/1", "one");
    const events = await listen(
      shell,
      { toolsListChanged: true, resourceSubscriptions: ["test://doc/1"], other: 1 },
      { id },
    );
    expect(events.headers.get("content-type")).toBe("text/event-stream");
    expect(await events.message()).toEqual(
      acknowledged({ toolsListChanged: true, resourceSubscriptions: ["test://doc/1"] }, id),
    );
  },
);

// @proves mcp.listen.kinds-filtered mcp.resources.subscription-exact mcp.resources.update-without-value mcp.listen.no-replay
test("a stream hears of what it asked for, of nothing else, and of nothing from before", async () => {
  shell = await startShell();
  for (const n of [1, 2]) shell.resources.put(`test://doc/${n}`, "text");
  await shell.clock.advance(minutes(1));
  const events = await listen(shell, { promptsListChanged: true, resourceSubscriptions: ["test://doc/1"] });
  await events.message();
  shell.dispatcher.add({ name: "extra", run: () => ({}) });
  shell.resources.put("test://doc/2", "changed");
  shell.resources.put("test://doc/1", "changed");
  expect(await events.message()).toEqual({
    jsonrpc: "2.0",
    method: "notifications/resources/updated",
    params: { uri: "test://doc/1", _meta: { [SUBSCRIPTION]: "L1" } },
  });
});

// @proves mcp.listen.uri-permission
test("what the caller may not read is left out of the acknowledgement and never announced", async () => {
  shell = await startShell();
  shell.resources.put("test://doc/open", "o");
  shell.resources.put("test://doc/secret", "s", "admin");
  await shell.clock.advance(minutes(1));
  const events = await listen(
    shell,
    { resourceSubscriptions: ["test://doc/secret", "test://doc/none", "test://doc/open"] },
    { token: shell.viewer },
  );
  expect(await events.message()).toEqual(acknowledged({ resourceSubscriptions: ["test://doc/open"] }));
  shell.resources.put("test://doc/secret", "changed", "admin");
  shell.resources.put("test://doc/open", "changed");
  expect(await events.message()).toMatchObject({ params: { uri: "test://doc/open" } });
});

// @proves mcp.listen.role-view
test("a change that a role does not see is not announced to it", async () => {
  shell = await startShell();
  const [viewer, admin] = [
    await listen(shell, { toolsListChanged: true }, { token: shell.viewer }),
    await listen(shell, { toolsListChanged: true }),
  ];
  await viewer.message();
  await admin.message();
  shell.dispatcher.add({ name: "secret", minimumRole: "admin", run: () => ({}) });
  expect(await admin.message()).toMatchObject({ method: "notifications/tools/list_changed" });
  await shell.clock.advance(seconds(3));
  shell.dispatcher.add({ name: "public", run: () => ({}) });
  expect(await viewer.message()).toMatchObject({ method: "notifications/tools/list_changed" });
  expect(await admin.message()).toMatchObject({ method: "notifications/tools/list_changed" });
});

// @proves mcp.listen.nothing-honoured mcp.listen.server-end mcp.result.server-info-listen mcp.listen.no-cancelled-at-end
test("when nothing can be honoured the stream says so, gives its result and ends", async () => {
  shell = await startShell();
  const events = await listen(shell, { resourceSubscriptions: ["test://none"] });
  expect(await events.message()).toEqual(acknowledged({}));
  expect(await events.message()).toEqual({
    jsonrpc: "2.0",
    id: "L1",
    result: {
      resultType: "complete",
      _meta: { [SUBSCRIPTION]: "L1", "io.modelcontextprotocol/serverInfo": { name: "test-shell", version: "1.2.3" } },
    },
  });
  expect(await events.next()).toBeUndefined();
});

// @proves mcp.listen.notifications-missing
test.each([
  undefined,
  null,
  5,
  [],
  { toolsListChanged: "yes" },
  { resourceSubscriptions: "test://x" },
  { taskIds: [1] },
])("the filter %j is refused", async (notifications) => {
  shell = await startShell();
  const answer = await post(shell.mcp, "subscriptions/listen", notifications === undefined ? {} : { notifications }, {
    token: shell.admin,
  });
  expect(answer).toMatchObject({ status: 200, body: { id: 1, error: { code: -32602 } } });
});

// @proves mcp.order.listen-without-headers
test("a listen request that lacks a header gets the header error", async () => {
  shell = await startShell();
  const answer = await post(
    shell.mcp,
    "subscriptions/listen",
    { notifications: {} },
    { token: shell.admin, headers: { "mcp-method": undefined } },
  );
  expect(answer).toMatchObject({ status: 400, body: { error: { code: -32020 } } });
});

// @proves mcp.tasks.listen-needs-capability
test("task ids need the tasks extension", async () => {
  shell = await startShell();
  const answer = await post(
    shell.mcp,
    "subscriptions/listen",
    { notifications: { taskIds: ["x"] } },
    { token: shell.admin },
  );
  expect(answer).toMatchObject({
    status: 400,
    body: {
      error: { code: -32021, data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } } },
    },
  });
});

// @proves mcp.listen.uris-per-stream
test("URIs beyond the limit are left out of the acknowledgement", async () => {
  shell = await startShell({ limits: { subscriptionsPerClient: 2 } });
  for (const n of [1, 2, 3]) shell.resources.put(`test://doc/${n}`, "text");
  const events = await listen(shell, { resourceSubscriptions: [1, 2, 3].map((n) => `test://doc/${n}`) });
  expect(await events.message()).toEqual(acknowledged({ resourceSubscriptions: ["test://doc/1", "test://doc/2"] }));
});

// @proves mcp.errors.listen-capacity mcp.limits.streams-per-principal mcp.limits.streams-total
test("listen, GET and SSE streams share their places, and each says no in its own way", async () => {
  shell = await startShell({ limits: { streamsPerPrincipal: 1, streams: 2 } });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const headers = { authorization: `Bearer ${shell.admin}` };
  const opened = await send(
    shell.mcp,
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    headers,
  );
  const first = await listen(shell, { toolsListChanged: true });
  await first.message();
  const refused = await post(
    shell.mcp,
    "subscriptions/listen",
    { notifications: { toolsListChanged: true } },
    { token: shell.admin },
  );
  expect(refused).toMatchObject({ status: 200, body: { error: { code: -32603 } } });
  expect(await send(shell.mcp, undefined, headers, "GET")).toMatchObject({ status: 429 });
  const session = opened.headers.get("mcp-session-id") ?? "";
  const get = await send(shell.mcp, undefined, { ...headers, "mcp-session-id": session }, "GET");
  expect(get).toMatchObject({ status: 429 });
  expect(get.headers.get("retry-after")).toBe("60");
  const other = await listen(shell, { toolsListChanged: true }, { token: shell.viewer });
  expect(await other.message()).toBeDefined();
  first.close();
  await expect
    .poll(async () => (await send(`${shell?.url}/metrics`, undefined, headers, "GET")).text)
    .toContain("steading_mcp_streams 1\n");
});

// @proves mcp.listen.keep-alive
test("a quiet stream carries a comment every fifteen seconds", async () => {
  shell = await startShell();
  const events = await listen(shell, { toolsListChanged: true });
  await events.message();
  await shell.clock.advance(seconds(15));
  expect(await events.next()).toEqual({ comment: "keepalive" });
  await shell.clock.advance(seconds(15));
  expect(await events.next()).toEqual({ comment: "keepalive" });
});

// @proves mcp.listen.ends-at-token-expiry
test("a stream ends with its result when its token expires", async () => {
  shell = await startShell();
  const { token } = await shell.tokens.create({ principal: "anna", role: "admin", label: "short", validFor: hours(1) });
  const events = await listen(shell, { promptsListChanged: true }, { token });
  await events.message();
  await shell.clock.advance(hours(1));
  let last: unknown;
  for (let message = await events.message(); message !== undefined; message = await events.message()) last = message;
  expect(last).toMatchObject({ id: "L1", result: { resultType: "complete" } });
});

// @proves mcp.listen.ends-at-shutdown
test("all streams end with their result when the server closes", async () => {
  shell = await startShell();
  const events = await listen(shell, { promptsListChanged: true });
  await events.message();
  void shell.close();
  expect(await events.message()).toMatchObject({ id: "L1", result: { resultType: "complete" } });
});

// @proves mcp.listen.serialised-once
test("a change is put into words once, however many hear of it", async () => {
  shell = await startShell();
  shell.resources.put("test://doc/1", "one");
  const wish = { resourceSubscriptions: ["test://doc/1"] };
  const streams = [
    await listen(shell, wish),
    await listen(shell, wish, { id: 2 }),
    await listen(shell, wish, { id: 3 }),
  ];
  for (const stream of streams) await stream.message();
  await shell.clock.advance(seconds(2));
  const stringify = vi.spyOn(JSON, "stringify");
  try {
    shell.resources.put("test://doc/1", "two");
    const told = stringify.mock.calls.filter(([value]) => (value as { uri?: string })?.uri === "test://doc/1");
    expect(told).toHaveLength(1);
  } finally {
    stringify.mockRestore();
  }
  for (const stream of streams)
    expect(await stream.message()).toMatchObject({ method: "notifications/resources/updated" });
});

// @proves farm.subscription.listen-2026 farm.subscription.session-rate
test("a stream gets so many notices in a second, and then the newest of each resource", async () => {
  shell = await startShell({ noticesPerSecond: 2, resourceUpdatedEvery: () => millis(0) });
  for (const n of [1, 2]) shell.resources.put(`test://doc/${n}`, "text");
  const events = await listen(shell, { resourceSubscriptions: ["test://doc/1", "test://doc/2"] });
  await events.message();
  for (let n = 0; n < 6; n++) shell.resources.touch(`test://doc/${1 + (n % 2)}`, { n });
  for (const n of [0, 1]) expect(await events.message()).toMatchObject({ params: { _meta: { n } } });
  await shell.clock.advance(seconds(1));
  for (const n of [4, 5]) expect(await events.message()).toMatchObject({ params: { _meta: { n } } });
  events.close();
});
