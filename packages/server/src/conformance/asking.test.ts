import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createRealClock, millis } from "@steading/kernel";
import { inputRequired } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ResourceSource } from "../lists/resource-source.ts";
import { createHandDispatcher } from "../testing/hand-dispatcher.ts";
import { pick, post } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { createConformanceFixtures } from "./conformance-fixtures.ts";
import { accepted, elicit } from "./asking-tools.ts";

/** A document that wants to know who reads it. */
const curious: ResourceSource = {
  scheme: "curious",
  list: () => [],
  async read(uri, _, mcp) {
    const name = mcp === undefined ? undefined : accepted(mcp, "reader", "name");
    if (name === undefined) return inputRequired({ inputRequests: { reader: elicit("Who reads this?", "name") } });
    return { uri, mimeType: "text/plain", text: `For ${name}.`, cache: { ttlMs: 300_000, cacheScope: "public" } };
  },
};

let shell: TestShell;
beforeAll(async () => {
  const fixtures = createConformanceFixtures({ clock: createRealClock() });
  shell = await startShell({
    dispatcher: createHandDispatcher(),
    ...fixtures,
    resources: [...fixtures.resources, curious],
    limits: { streamRetry: millis(20) },
  });
});
afterAll(() => shell.close());

const elicitation = { elicitation: { form: {} } };

async function connect(transport: Parameters<Client["connect"]>[0], mode?: "auto"): Promise<Client> {
  const client = new Client(
    { name: "asked", version: "1" },
    { capabilities: { ...elicitation, sampling: {} }, ...(mode && { versionNegotiation: { mode } }) },
  );
  client.setRequestHandler("elicitation/create", async () => ({
    action: "accept",
    content: { username: "anna", email: "a@b.example", name: "anna" },
  }));
  await client.connect(transport);
  return client;
}
const http = () => new StreamableHTTPClientTransport(shell.mcp);

// @proves mcp.sessions.no-stateless-fallback mcp.endpoint.post-session-responses mcp.sessions.delivery-during-call
test.each([
  ["a 2025 session", http],
  ["HTTP+SSE", () => new SSEClientTransport(shell.mcp)],
])("a client of %s is asked while its call runs", async (_, transport) => {
  const client = await connect(transport());
  const answer = await client.callTool({ name: "test_elicitation", arguments: { message: "Who are you?" } });
  expect(answer.content).toEqual([
    { type: "text", text: expect.stringContaining('action=accept, content={"username":"anna"') },
  ]);
  await client.close();
});

test.each([
  ["2026", "auto" as const],
  ["2025", undefined],
])("a question asked in the 2026 way reaches a client of %s", async (_, mode) => {
  const client = await connect(http(), mode);
  expect(await client.callTool({ name: "test_input_required_result_elicitation" })).toMatchObject({
    content: [{ text: "Hello, anna!" }],
  });
  await client.close();
});

// @proves mcp.sessions.close-sse-polling
test("a tool may close its answer's stream, and the client comes back for the result", async () => {
  const client = await connect(http());
  expect(await client.callTool({ name: "test_reconnection" })).toMatchObject({
    content: [{ text: "Reconnection test completed successfully" }],
  });
  await client.close();
});

// @proves mcp.prompts.may-ask mcp.resources.read-may-ask mcp.resources.retry-not-cacheable mcp.result.type-input-required-methods
test.each<[string, Record<string, unknown>, string, string]>([
  ["prompts/get", { name: "test_input_required_result_prompt" }, "user_context", "context"],
  ["resources/read", { uri: "curious://diary" }, "reader", "name"],
])("%s may ask before it answers, and what it then says is not kept", async (method, params, key, field) => {
  const capabilities = elicitation;
  const first = await post(shell.mcp, method, params, { capabilities });
  expect(first).toMatchObject({
    status: 200,
    body: { result: { resultType: "input_required", inputRequests: { [key]: {} } } },
  });
  const inputResponses = { [key]: { action: "accept", content: { [field]: "anna" } } };
  const second = await post(shell.mcp, method, { ...params, inputResponses }, { capabilities });
  expect(second).toMatchObject({ body: { result: { resultType: "complete" } } });
  expect(second.text).toContain("anna");
  if (method === "resources/read")
    expect(second).toMatchObject({ body: { result: { ttlMs: 0, cacheScope: "private" } } });
});

// @proves mcp.tasks.update-empty-result mcp.tasks.update-reads-lifted-answers
test("an answer sent to a task reaches it", async () => {
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const created = await post(
    shell.mcp,
    "tools/call",
    { name: "confirm_delete", arguments: { filename: "x" } },
    { capabilities },
  );
  const taskId = pick<string>(created.body, "result", "taskId");
  const waiting = await post(shell.mcp, "tasks/get", { taskId }, { capabilities });
  const [key] = Object.keys(pick<object>(waiting.body, "result", "inputRequests"));
  const updated = await post(
    shell.mcp,
    "tasks/update",
    { taskId, inputResponses: { [key ?? ""]: { action: "accept", content: { confirm: true } } } },
    { capabilities },
  );
  expect(Object.keys(pick<object>(updated.body, "result")).toSorted()).toEqual(["_meta", "resultType"]);
  await expect
    .poll(async () => pick((await post(shell.mcp, "tasks/get", { taskId }, { capabilities })).body, "result", "status"))
    .toBe("completed");
});

// @proves mcp.logging.not-by-default
test("a 2026 client is told log lines only when its request asked for them", async () => {
  const quiet = await post(shell.mcp, "tools/call", { name: "test_logging_tool" });
  expect(quiet.text).not.toContain("notifications/message");
  const asked = await post(
    shell.mcp,
    "tools/call",
    { name: "test_logging_tool" },
    { meta: { "io.modelcontextprotocol/logLevel": "info" } },
  );
  expect(asked.text).toContain("notifications/message");
});

// @proves mcp.logging.legacy-set-level
test("a 2025 client may set its level where logging is advertised", async () => {
  const client = await connect(http());
  await client.setLoggingLevel("warning");
  await client.close();
});

// @proves mcp.tasks.experimental-not-offered
test("the tasks of 2025-11-25 are neither advertised nor answered", async () => {
  const client = await connect(http());
  expect(client.getServerCapabilities()).not.toHaveProperty("tasks");
  await client.close();
  for (const method of ["tasks/result", "tasks/list"])
    expect(await post(shell.mcp, method, { taskId: "x" })).toMatchObject({
      status: 404,
      body: { error: { code: -32601 } },
    });
});
