import { afterAll, beforeAll, expect, test } from "vitest";
import { pick, post, send, type PostOptions } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell;
beforeAll(async () => {
  shell = await startShell();
  shell.resources.put("test://doc/1", "one");
});
afterAll(() => shell.close());

const ask = (method: string, params: Record<string, unknown> = {}, options: PostOptions = {}) =>
  post(shell.mcp, method, params, { token: shell.admin, ...options });

// @proves mcp.errors.body-not-json mcp.errors.not-json-rpc mcp.errors.empty-batch mcp.errors.modern-in-batch
test.each([
  ["{", 400, -32700],
  ["", 400, -32700],
  ["5", 400, -32600],
  ["{}", 400, -32600],
  ["[]", 400, -32600],
  [
    '[{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}]',
    400,
    -32600,
  ],
])("the body %j is answered %i with %i", async (body, status, code) => {
  const answer = await send(shell.mcp, body, { authorization: `Bearer ${shell.admin}` });
  expect(answer).toMatchObject({ status, body: { jsonrpc: "2.0", error: { code } } });
});

// @proves mcp.errors.media-type mcp.order.media-type-parameters
test("another media type than JSON is answered 415, parameters are allowed", async () => {
  const headers = { authorization: `Bearer ${shell.admin}` };
  expect(await send(shell.mcp, "{}", { ...headers, "content-type": "text/plain" })).toMatchObject({
    status: 415,
    body: { error: { code: -32000 } },
  });
  expect(await ask("tools/list", {}, { headers: { "content-type": "application/json; charset=utf-8" } })).toMatchObject(
    { status: 200 },
  );
});

// @proves mcp.errors.body-too-large
test("a body over 4 MiB is answered 413", async () => {
  const answer = await send(shell.mcp, `"${"x".repeat(4 * 1024 * 1024)}"`, { authorization: `Bearer ${shell.admin}` });
  expect(answer).toMatchObject({ status: 413, body: { error: { code: -32000 } } });
});

// @proves mcp.request.meta-client-capabilities mcp.request.version-header mcp.request.method-header mcp.request.name-header-tool mcp.errors.meta-malformed mcp.errors.header-missing mcp.errors.version-header-differs mcp.errors.method-header-differs mcp.errors.name-header-differs mcp.request.header-values-case-sensitive
test.each<[string, PostOptions, number, number]>([
  ["capabilities that are no object", { capabilities: 5 }, 400, -32602],
  ["no version header", { headers: { "mcp-protocol-version": undefined } }, 400, -32020],
  ["no method header", { headers: { "mcp-method": undefined } }, 400, -32020],
  ["no name header", { headers: { "mcp-name": undefined } }, 400, -32020],
  ["another version header", { headers: { "mcp-protocol-version": "2025-11-25" } }, 400, -32020],
  ["another method header", { headers: { "mcp-method": "tools/list" } }, 400, -32020],
  ["another name header", { headers: { "mcp-name": "Echo" } }, 400, -32020],
])("%s is answered %s", async (_, options, status, code) => {
  expect(await ask("tools/call", { name: "echo" }, options)).toMatchObject({ status, body: { error: { code } } });
});

// @proves mcp.errors.meta-missing mcp.endpoint.post-modern-header mcp.order.rejects-to-modern-leg
test("a 2026 header without an envelope is answered by 2026 rules", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list", params: {} });
  const headers = {
    authorization: `Bearer ${shell.admin}`,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/list",
  };
  expect(await send(shell.mcp, body, headers)).toMatchObject({ status: 400, body: { error: { code: -32602 } } });
});

// @proves mcp.errors.revision-not-served mcp.errors.legacy-revision-in-envelope mcp.errors.supported-lists-2026-only
test.each(["2027-01-01", "2025-11-25"])("the revision %s in an envelope is not served", async (version) => {
  expect(await ask("tools/list", {}, { version })).toMatchObject({
    status: 400,
    body: { error: { code: -32022, data: { supported: ["2026-07-28"], requested: version } } },
  });
});

// @proves mcp.errors.method-unknown mcp.errors.method-removed mcp.methods.ping-removed mcp.methods.set-level-removed mcp.methods.subscribe-removed mcp.methods.tasks-list-removed mcp.methods.initialize-removed
test.each([
  "no/such",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
  "tasks/list",
  "tasks/result",
  "initialize",
])("the method %s is answered 404", async (method) => {
  expect(await ask(method)).toMatchObject({ status: 404, body: { error: { code: -32601 } } });
});

// @proves mcp.errors.unknown-tool mcp.errors.unknown-prompt mcp.errors.unknown-cursor mcp.errors.resource-not-found mcp.errors.bad-params mcp.errors.resource-never-empty mcp.lists.cursor-unparsable mcp.lists.cursor-empty-string mcp.lists.cursor-out-of-range
test.each<[string, Record<string, unknown>]>([
  ["tools/call", { name: "nobody" }],
  ["prompts/get", { name: "nobody" }],
  ["tools/list", { cursor: "nonsense" }],
  ["tools/list", { cursor: "" }],
  ["tools/list", { cursor: Buffer.from("1:500").toString("base64url") }],
  ["resources/list", { cursor: "nonsense" }],
  ["resources/read", { uri: "test://doc/none" }],
  ["tools/list", { cursor: 5 }],
])("%s with %j is answered 200 with -32602", async (method, params) => {
  expect(await ask(method, params)).toMatchObject({ status: 200, body: { id: 1, error: { code: -32602 } } });
});

test("an unknown resource is named in the error's data", async () => {
  expect(await ask("resources/read", { uri: "test://doc/none" })).toMatchObject({
    body: { error: { data: { uri: "test://doc/none" } } },
  });
});

// @proves mcp.endpoint.post-envelope mcp.response.single-json mcp.pitfalls.content-length mcp.result.ttl-integer mcp.result.cache-scope-values mcp.instance.text-fallback mcp.tools.structured-object mcp.result.type-complete mcp.result.server-info mcp.result.cache-fields mcp.cache.discover mcp.cache.tools-list mcp.cache.prompts-list mcp.cache.templates-list mcp.cache.resources-list mcp.methods.served mcp.cache.read-live
test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ["server/discover", {}, { ttlMs: 300_000, cacheScope: "public" }],
  ["tools/list", {}, { ttlMs: 60_000, cacheScope: "private" }],
  ["prompts/list", {}, { ttlMs: 60_000, cacheScope: "public" }],
  ["resources/templates/list", {}, { ttlMs: 60_000, cacheScope: "public" }],
  ["resources/list", {}, { ttlMs: 5_000, cacheScope: "private" }],
  ["resources/read", { uri: "test://doc/1" }, { ttlMs: 0, cacheScope: "private" }],
  [
    "tools/call",
    { name: "echo", arguments: { text: "hi" } },
    { content: [{ type: "text", text: '{"echo":"hi"}' }], structuredContent: { echo: "hi" } },
  ],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "none" }, argument: { name: "a", value: "" } },
    { completion: { values: [] } },
  ],
])("%s is answered whole", async (method, params, expected) => {
  const answer = await ask(method, params);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      id: 1,
      result: {
        resultType: "complete",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "test-shell", version: "1.2.3" } },
        ...expected,
      },
    },
  });
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(answer.text)));
});

// @proves mcp.tools.error-shape mcp.instance.thrown-to-is-error mcp.tools.refusal-is-error-result
test("a tool's error is one text block and no structured content", async () => {
  const answer = await ask("tools/call", { name: "refuse" });
  const result = pick<Record<string, unknown>>(answer.body, "result");
  expect(result).toMatchObject({ isError: true });
  expect(result).not.toHaveProperty("structuredContent");
  expect(result["content"]).toHaveLength(1);
  expect(JSON.parse(pick<string>(result, "content", 0, "text"))).toMatchObject({ code: "VALVE_RESTING" });
});

// @proves mcp.request.accept-not-enforced mcp.request.session-header-ignored mcp.request.last-event-id-ignored mcp.request.no-session-minted
test("sessions, event ids and the Accept header mean nothing in this era", async () => {
  const headers = { accept: "application/json", "mcp-session-id": "zzz", "last-event-id": "1" };
  const answer = await ask("tools/call", { name: "echo" }, { headers });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("mcp-session-id")).toBeNull();
});

// @proves mcp.request.notification-202
test("a notification with an envelope is accepted", async () => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const body = JSON.stringify({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 1, _meta: meta },
  });
  const headers = {
    authorization: `Bearer ${shell.admin}`,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "notifications/cancelled",
  };
  expect(await send(shell.mcp, body, headers)).toMatchObject({ status: 202 });
});

// @proves mcp.response.stream-on-notification mcp.response.stream-content-type mcp.response.stream-cache-control mcp.response.stream-no-proxy-buffering mcp.response.stream-no-event-ids
test("progress turns the answer into an event stream that ends with the result", async () => {
  const answer = await ask("tools/call", { name: "count" }, { meta: { progressToken: "p" } });
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  expect(answer.headers.get("cache-control")).toBe("no-cache, no-transform");
  expect(answer.headers.get("x-accel-buffering")).toBe("no");
  expect(answer.text).toContain('"notifications/progress"');
  expect(answer.text).not.toMatch(/^id:/m);
  expect(answer.body).toMatchObject({ id: 1, result: { structuredContent: { counted: 2 } } });
});

// @proves mcp.response.broken-stream-cancels mcp.cancel.before-json-answer
test("a client that hangs up cancels its call", async () => {
  const aborter = new AbortController();
  const before = shell.dispatcher.calls.length;
  const running = fetch(shell.mcp, {
    method: "POST",
    signal: aborter.signal,
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${shell.admin}`,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "wait",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "wait",
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  await expect.poll(() => shell.dispatcher.calls.length).toBe(before + 1);
  aborter.abort();
  await expect(running).rejects.toThrow("abort");
  await expect.poll(() => shell.dispatcher.calls.at(-1)?.signal?.aborted).toBe(true);
});

test("trace context reaches the caller, from the envelope or from the header, and nonsense is dropped", async () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  for (const options of [{ meta: { traceparent } }, { headers: { traceparent } }]) {
    expect(
      pick(await ask("tools/call", { name: "who.am.i" }, options), "body", "result", "structuredContent"),
    ).toMatchObject({ traceparent });
  }
  const nonsense = await ask("tools/call", { name: "who.am.i" }, { headers: { traceparent: "nonsense" } });
  expect(pick(nonsense.body, "result", "structuredContent")).toEqual({
    principal: "anna",
    role: "admin",
    transport: "http",
    traceparent: null,
  });
});
