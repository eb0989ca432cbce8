import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHandDispatcher } from "../testing/hand-dispatcher.ts";
import { HAND_TOOLS } from "../testing/hand-tools.ts";
import { send } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

const TOOLS = HAND_TOOLS.filter(({ name }) => name !== "wait");
let hot: TestShell;
let cold: TestShell;
beforeAll(async () => {
  [hot, cold] = await Promise.all([
    startShell({ dispatcher: createHandDispatcher(...TOOLS) }),
    startShell({ dispatcher: createHandDispatcher(...TOOLS), hotPath: false }),
  ]);
});
afterAll(() => Promise.all([hot.close(), cold.close()]));

const oddValue = fc.oneof(
  fc.constant(undefined),
  fc.constant(null),
  fc.integer(),
  fc.string(),
  fc.constant({}),
  fc.constant([]),
);
const method = fc.constantFrom("tools/list", "tools/call", "ping");
const name = fc.constantFrom("echo", "who.am.i", "refuse", "operate", "nobody", "");
const version = fc.constantFrom("2026-07-28", "2025-11-25", "2027-01-01");
const sometimes = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 8, arbitrary: usual as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: oddValue });

const request = fc.record({
  jsonrpc: sometimes(fc.constant("2.0")),
  id: sometimes(fc.oneof(fc.integer(), fc.string())),
  method: sometimes(method),
  name: sometimes(name),
  arguments: sometimes(fc.constantFrom(undefined, {}, { text: "hi" }, { text: 5 })),
  cursor: fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: oddValue }),
  version: sometimes(version),
  capabilities: sometimes(fc.constant({})),
  clientInfo: sometimes(fc.constantFrom(undefined, { name: "x", version: "1" })),
  headers: fc.record({
    version: fc.oneof(
      { weight: 8, arbitrary: fc.constant("2026-07-28") },
      { weight: 1, arbitrary: fc.option(version, { nil: undefined }) },
    ),
    method: fc.option(method, { nil: "same", freq: 6 }),
    name: fc.option(fc.constantFrom("echo", "who.am.i"), { nil: "same", freq: 6 }),
  }),
});

// @proves mcp.hot-path.differential mcp.hot-path.errors-from-sdk-leg
test("whatever is sent, the answer is the same with the hot path and without it", { timeout: 30_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(request, async (given) => {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": given.version,
        "io.modelcontextprotocol/clientCapabilities": given.capabilities,
        "io.modelcontextprotocol/clientInfo": given.clientInfo,
      };
      const params = { name: given.name, arguments: given.arguments, cursor: given.cursor, _meta };
      const body = JSON.stringify({ jsonrpc: given.jsonrpc, id: given.id, method: given.method, params });
      const asHeader = (chosen: string, same: unknown) =>
        chosen === "same" ? (typeof same === "string" && /^[\x21-\x7e]*$/.test(same) ? same : undefined) : chosen;
      const headers = {
        "mcp-protocol-version": given.headers.version,
        "mcp-method": asHeader(given.headers.method, given.method),
        "mcp-name": asHeader(given.headers.name, given.name),
      };
      const [a, b] = await Promise.all(
        [hot, cold].map((shell) => send(shell.mcp, body, { ...headers, authorization: `Bearer ${shell.admin}` })),
      );
      expect({ status: a?.status, body: a?.body }).toEqual({ status: b?.status, body: b?.body });
    }),
    { numRuns: 300 },
  );
});
