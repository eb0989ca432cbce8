import { createRealClock } from "@steading/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHandDispatcher } from "../testing/hand-dispatcher.ts";
import { pick, post } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { createConformanceFixtures } from "./conformance-fixtures.ts";

let shell: TestShell;
beforeAll(async () => {
  shell = await startShell({
    dispatcher: createHandDispatcher(),
    ...createConformanceFixtures({ clock: createRealClock() }),
  });
});
afterAll(() => shell.close());

const names = async (method: string, member: string) =>
  pick<{ name: string }[]>((await post(shell.mcp, method)).body, "result", member).map(({ name }) => name);

// @proves mcp.conformance.tools-both-eras mcp.conformance.tools-2025 mcp.conformance.tools-2026 mcp.conformance.tools-tasks
test("every tool the referee calls is there", async () => {
  expect(await names("tools/list", "tools")).toEqual(
    [
      "confirm_delete",
      "failing_job",
      "greet",
      "json_schema_2020_12_tool",
      "multi_input",
      "protocol_error_job",
      "slow_compute",
      "test_audio_content",
      "test_elicitation",
      "test_elicitation_sep1034_defaults",
      "test_elicitation_sep1330_enums",
      "test_embedded_resource",
      "test_error_handling",
      "test_image_content",
      "test_input_required_result_capabilities",
      "test_input_required_result_elicitation",
      "test_input_required_result_list_roots",
      "test_input_required_result_multi_round",
      "test_input_required_result_multiple_inputs",
      "test_input_required_result_request_state",
      "test_input_required_result_sampling",
      "test_input_required_result_tampered_state",
      "test_logging_tool",
      "test_missing_capability",
      "test_multiple_content_types",
      "test_reconnection",
      "test_sampling",
      "test_simple_text",
      "test_streaming_elicitation",
      "test_tool_with_logging",
      "test_tool_with_progress",
      "test_tool_with_task",
      "test_trigger_prompt_change",
      "test_trigger_tool_change",
      "test_x_mcp_header",
    ].toSorted(),
  );
});

// @proves mcp.conformance.prompts mcp.conformance.resources mcp.conformance.resource-nonexistent
test("the prompts and documents are there, and one that must not be is not", async () => {
  expect(await names("prompts/list", "prompts")).toEqual([
    "test_input_required_result_prompt",
    "test_prompt_with_arguments",
    "test_prompt_with_embedded_resource",
    "test_prompt_with_image",
    "test_simple_prompt",
  ]);
  for (const uri of [
    "test://static-text",
    "test://static-binary",
    "test://watched-resource",
    "test://template/7/data",
  ]) {
    expect(await post(shell.mcp, "resources/read", { uri })).toMatchObject({
      body: { result: { contents: [{ uri }] } },
    });
  }
  expect(await post(shell.mcp, "resources/read", { uri: "test://nonexistent" })).toMatchObject({
    body: { error: { code: -32602 } },
  });
});

// @proves mcp.cache.read-static mcp.result.cache-handler-wins
test("a static document may be kept for five minutes", async () => {
  expect(await post(shell.mcp, "resources/read", { uri: "test://static-text" })).toMatchObject({
    body: { result: { ttlMs: 300_000 } },
  });
});

// @proves mcp.conformance.schema-keywords-kept
test("the schema of the 2020-12 tool arrives whole", async () => {
  const list = await post(shell.mcp, "tools/list");
  const tool = pick<{ name: string; inputSchema: object }[]>(list.body, "result", "tools").find(
    ({ name }) => name === "json_schema_2020_12_tool",
  );
  expect(Object.keys(tool?.inputSchema ?? {})).toEqual(
    expect.arrayContaining(["$schema", "$defs", "allOf", "if", "then", "else", "additionalProperties"]),
  );
  expect(JSON.stringify(tool)).toMatch(/"\$anchor".*"anyOf"/);
});

// @proves mcp.capabilities.logging-on-in-fixture
test("logging is advertised here", async () => {
  expect(await post(shell.mcp, "server/discover")).toMatchObject({
    body: { result: { capabilities: { logging: {} } } },
  });
});

// @proves mcp.conformance.auth-off-on-loopback-only
test("everybody is let in, and therefore only on loopback", async () => {
  await expect(shell.server.listen({ host: "0.0.0.0", port: 0, insecure: true })).rejects.toMatchObject({
    code: "LISTEN_INSECURE",
  });
});

// @proves mcp.errors.param-header-differs mcp.instance.param-headers-in-fixture
test("an argument that travels in a header must be the same there", async () => {
  const call = (region?: string) =>
    post(
      shell.mcp,
      "tools/call",
      { name: "test_x_mcp_header", arguments: { region: "eu" } },
      { headers: { "mcp-param-region": region } },
    );
  expect(await call("eu")).toMatchObject({ status: 200, body: { result: { content: [{ text: "region=eu" }] } } });
  expect(await call("us")).toMatchObject({ status: 400, body: { error: { code: -32020 } } });
  expect(await call()).toMatchObject({ status: 400, body: { error: { code: -32020 } } });
});

// @proves mcp.errors.capability-missing-after-dispatch mcp.errors.capability-missing mcp.tasks.required-capability
test("what needs a capability the client did not declare is refused with its name", async () => {
  expect(await post(shell.mcp, "tools/call", { name: "test_missing_capability" })).toMatchObject({
    status: 400,
    body: { error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } } },
  });
  expect(await post(shell.mcp, "tools/call", { name: "failing_job" })).toMatchObject({
    status: 400,
    body: {
      error: { code: -32021, data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } } },
    },
  });
});

// @proves mcp.errors.request-state-invalid mcp.result.answers-lifted-off-params
test("a state that was tampered with is refused, the untouched one goes on", async () => {
  const name = "test_input_required_result_request_state";
  const capabilities = { elicitation: { form: {} } };
  const first = await post(shell.mcp, "tools/call", { name }, { capabilities });
  expect(first).toMatchObject({ body: { result: { resultType: "input_required" } } });
  const requestState = pick<string>(first.body, "result", "requestState");
  const inputResponses = { confirm: { action: "accept", content: { ok: true } } };
  expect(await post(shell.mcp, "tools/call", { name, inputResponses, requestState }, { capabilities })).toMatchObject({
    body: { result: { content: [{ text: "state-ok: confirmed" }] } },
  });
  expect(
    await post(
      shell.mcp,
      "tools/call",
      { name, inputResponses, requestState: `${requestState.slice(0, -2)}xx` },
      { capabilities },
    ),
  ).toMatchObject({
    status: 200,
    body: { error: { code: -32602, data: { reason: "invalid_request_state" } } },
  });
});

// @proves mcp.instance.argument-validation mcp.tools.invalid-arguments
test("arguments that do not fit the schema are a result that says so", async () => {
  expect(await post(shell.mcp, "tools/call", { name: "greet", arguments: { name: 5 } })).toMatchObject({
    status: 200,
    body: { result: { isError: true, content: [{ text: expect.stringContaining("string") }] } },
  });
});
