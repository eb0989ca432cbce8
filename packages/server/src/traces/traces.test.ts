import { PassThrough } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { pick, post, send, type PostOptions } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { createTrialTracer, type TrialSpan } from "../testing/trial-tracer.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

async function setUp(hotPath = true) {
  const { tracer, spans } = createTrialTracer();
  shell = await startShell({ tracer, hotPath });
  const { mcp, admin } = shell;
  const ask = (method: string, params: Record<string, unknown> = {}, options: PostOptions = {}) =>
    post(mcp, method, params, { token: admin, ...options });
  return { shell, spans, ask };
}
const named = (spans: readonly TrialSpan[], name: string): TrialSpan => {
  const found = spans.filter((span) => span.name === name);
  expect([name, found.length]).toEqual([name, 1]);
  return found[0] as TrialSpan; // there is one
};
const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

// @proves mcp.tracing.span-per-request mcp.tracing.attributes
test.each([true, false])("every request has one span, named after method and tool (hot path: %s)", async (hot) => {
  const { spans, ask } = await setUp(hot);
  await ask("tools/call", { name: "echo", arguments: { text: "x" } }, { meta: { traceparent: TRACEPARENT } });
  await ask("tools/call", { name: "refuse" });
  await ask("tools/list");
  await ask("resources/list");
  await ask("server/discover");
  await ask("tools/call", { name: "no such tool" });
  expect(spans.every(({ kind, ended }) => kind === 1 && ended)).toBe(true);
  expect(spans.map(({ name }) => name)).toEqual([
    "tools/call echo",
    "tools/call refuse",
    "tools/list",
    "resources/list",
    "server/discover",
    "tools/call",
  ]);
  const common = { "steading.era": "modern", "steading.transport": "http", "steading.role": "admin" };
  const echo = named(spans, "tools/call echo");
  expect(echo.attributes).toEqual({
    ...common,
    "mcp.method.name": "tools/call",
    "gen_ai.tool.name": "echo",
    "steading.hot_path": hot,
    "steading.result": "complete",
  });
  expect(echo.parent).toMatchObject({ traceId: TRACEPARENT.slice(3, 35), spanId: TRACEPARENT.slice(36, 52) });
  expect(named(spans, "tools/call refuse")).toMatchObject({
    failed: true,
    attributes: { "steading.result": "isError" },
  });
  expect(named(spans, "tools/list").attributes).toMatchObject({ "steading.hot_path": hot });
  expect(named(spans, "tools/call").attributes).toMatchObject({ "steading.result": "-32602" });
});

test.each([true, false])("what a tool does hangs below the request's span (hot path: %s)", async (hot) => {
  const { spans, ask } = await setUp(hot);
  const headers = { traceparent: TRACEPARENT, tracestate: "a=1" };
  const answer = await ask("tools/call", { name: "who.am.i" }, { headers });
  const request = named(spans, "tools/call who.am.i");
  expect(request.parent?.traceState?.serialize()).toBe("a=1");
  expect(pick(answer.body, "result", "structuredContent", "traceparent")).toBe(
    `00-${TRACEPARENT.slice(3, 35)}-${request.context.spanId}-01`,
  );
});

test("listen requests have a span that ends when the stream is open, or with the code of the refusal", async () => {
  const { spans, ask } = await setUp();
  await ask("subscriptions/listen", {});
  await ask("subscriptions/listen", { notifications: {} });
  expect(spans.map(({ name, attributes }) => [name, attributes["steading.result"]])).toEqual([
    ["subscriptions/listen", "-32602"],
    ["subscriptions/listen", "complete"],
  ]);
});

// @proves mcp.tracing.span-per-request
test("sessions and lines are traced as well", async () => {
  const { shell, spans } = await setUp();
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };
  await send(shell.mcp, JSON.stringify(initialize), { authorization: `Bearer ${shell.viewer}` });
  expect(named(spans, "initialize").attributes).toMatchObject({
    "steading.era": "legacy",
    "steading.transport": "http",
    "steading.role": "viewer",
  });
  const [input, output] = [new PassThrough(), new PassThrough()];
  shell.server.serveStdio({ input, output, caller: { principal: "local", role: "operator" } });
  input.write(`${JSON.stringify(initialize)}\n`);
  await expect
    .poll(() => spans.filter(({ attributes }) => attributes["steading.transport"] === "stdio").length)
    .toBe(1);
});

// @proves mcp.tracing.no-arguments-or-tokens
test("neither spans nor metrics hold arguments, tokens, names of strangers or messages", async () => {
  const { shell, spans, ask } = await setUp();
  const secret = "s3cret-argument";
  await ask("tools/call", { name: "echo", arguments: { text: secret } }, { meta: { baggage: `a=${secret}` } });
  await ask("tools/call", { name: "echo", arguments: { wrong: secret } });
  await ask("tools/call", { name: secret });
  await ask("resources/read", { uri: `steading:///${secret}` });
  await ask("tools/call", { name: "refuse", arguments: { [secret]: 1 } });
  const told = JSON.stringify(spans) + shell.server.metrics();
  for (const word of [secret, shell.admin, "anna", "valve must rest"]) expect(told).not.toContain(word);
});

// @proves mcp.tracing.attributes
test("metrics count requests by what they were and how they ended, tracing or not", async () => {
  shell = await startShell();
  const { mcp, admin, server } = shell;
  for (const name of ["echo", "echo", "refuse", "no such tool"])
    await post(mcp, "tools/call", { name }, { token: admin });
  await post(mcp, "tools/list", {}, { token: admin });
  const about = 'era="modern",transport="http",role="admin"';
  expect(server.metrics()).toContain(
    `steading_mcp_requests_total{method="tools/call",tool="echo",${about},hot="true",result="complete"} 2\n`,
  );
  for (const line of [
    `{method="tools/call",tool="refuse",${about},hot="true",result="isError"} 1\n`,
    `{method="tools/call",${about},hot="false",result="-32602"} 1\n`,
    `{method="tools/list",${about},hot="true",result="complete"} 1\n`,
  ])
    expect(server.metrics()).toContain(`steading_mcp_requests_total${line}`);
});
