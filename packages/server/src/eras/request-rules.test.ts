import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pick, post, send, type PostOptions } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell;
beforeAll(async () => {
  shell = await startShell({
    prompts: [{ list: () => [{ name: "daily" }], get: async () => ({ messages: [] }) }],
    limits: { toolsPerPage: 2 },
  });
  shell.resources.put("test://doc/1", "one");
});
afterAll(() => shell.close());

const ask = (method: string, params: Record<string, unknown> = {}, options: PostOptions = {}) =>
  post(shell.mcp, method, params, { token: shell.admin, ...options });

// @proves mcp.request.name-header-prompt mcp.request.name-header-resource
test.each<[string, Record<string, unknown>]>([
  ["prompts/get", { name: "daily" }],
  ["resources/read", { uri: "test://doc/1" }],
])("%s needs the same name in the header", async (method, params) => {
  expect(await ask(method, params)).toMatchObject({ status: 200, body: { result: {} } });
  expect(await ask(method, params, { headers: { "mcp-name": "other" } })).toMatchObject({
    status: 400,
    body: { error: { code: -32020 } },
  });
});

// @proves mcp.request.header-values-trimmed mcp.request.header-names-any-case
test("blanks around header values and the case of header names do not matter", async () => {
  const headers = { "mcp-method": undefined, "MCP-METHOD": "  tools/call ", "mcp-name": " echo  " };
  expect(await ask("tools/call", { name: "echo" }, { headers })).toMatchObject({ status: 200, body: { result: {} } });
});

// @proves mcp.request.meta-protocol-version
test("an envelope without a version is refused", async () => {
  const meta = { "io.modelcontextprotocol/protocolVersion": undefined };
  expect(await ask("tools/list", {}, { meta })).toMatchObject({ status: 400, body: { error: { code: -32602 } } });
});

// @proves mcp.request.meta-optional-members mcp.request.client-info-display-only mcp.result.unknown-params-tolerated
test("clientInfo may be anything or nothing, and unknown params are passed over", async () => {
  const strip = (body: unknown) => pick<{ name: string }[]>(body, "result", "tools").map(({ name }) => name);
  const plain = await ask("tools/list");
  for (const clientInfo of [undefined, { name: "admin", version: "9" }]) {
    const answer = await ask(
      "tools/list",
      { other: { deep: [1] } },
      { meta: { "io.modelcontextprotocol/clientInfo": clientInfo } },
    );
    expect(strip(answer.body)).toEqual(strip(plain.body));
  }
});

// @proves mcp.errors.no-legacy-codes
test("no error of this era carries a code of the other", async () => {
  const answers = await Promise.all([
    ask("resources/read", { uri: "test://none" }),
    ask("tools/call", { name: "nobody" }),
    ask("no/such"),
    ask("tools/list", { cursor: "x" }),
  ]);
  for (const { body } of answers) expect([-32002, -32042]).not.toContain(pick(body, "error", "code"));
});

// @proves mcp.cache.scope-same-on-all-pages mcp.resources.lists-paginated
test("all pages of a list may be kept by the same people", async () => {
  const scopes = new Set<unknown>();
  let cursor: string | undefined;
  do {
    const { body } = await ask("tools/list", cursor === undefined ? {} : { cursor });
    scopes.add(pick(body, "result", "cacheScope"));
    cursor = pick(body, "result", "nextCursor");
  } while (cursor !== undefined);
  expect([...scopes]).toEqual(["private"]);
});

/** Says how long a body will be, and never sends it. */
function postWithoutBody(headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(shell.url);
    const asked = request(
      { port, host: "127.0.0.1", path: "/mcp", method: "POST", headers: { "content-length": "1000", ...headers } },
      (response) => {
        resolve(response.statusCode);
        asked.destroy();
      },
    );
    asked.on("error", reject);
    asked.flushHeaders();
  });
}

// @proves mcp.order.auth-before-body mcp.order.media-type-before-body mcp.guard.before-body mcp.guard.before-auth
test("what the head of a request already tells is answered before its body arrives", async () => {
  expect(await postWithoutBody({ "content-type": "application/json", origin: "http://evil.example" })).toBe(403);
  expect(await postWithoutBody({ "content-type": "application/json" })).toBe(401);
  expect(await postWithoutBody({ "content-type": "text/plain", authorization: `Bearer ${shell.admin}` })).toBe(415);
});

// @proves mcp.capabilities.same-in-both-eras mcp.capabilities.instructions-same-for-all
test("both eras and all roles are told the same about the server", async () => {
  const told = async (token: string) => {
    const modern = await post(shell.mcp, "server/discover", {}, { token });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } };
    const old = await send(shell.mcp, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }), {
      authorization: `Bearer ${token}`,
    });
    return [modern.body, old.body].map((body) => ({
      capabilities: pick(body, "result", "capabilities"),
      instructions: pick(body, "result", "instructions"),
    }));
  };
  const [modern, old] = await told(shell.admin);
  expect(modern).toEqual(old);
  expect(await told(shell.viewer)).toEqual([modern, old]);
});

// @proves mcp.capabilities.instructions-size
test("instructions over 2 KB are refused at start", async () => {
  await expect(startShell({ instructions: "x".repeat(2_049) })).rejects.toThrow(/2048/);
});

// @proves mcp.lists.varies-by-authorization-only
test("a list does not depend on the connection or on what was asked before", async () => {
  const texts = new Set<string>();
  for (let i = 0; i < 3; i++) {
    await ask("tools/call", { name: "echo" });
    texts.add((await ask("tools/list", {}, { headers: { connection: "close" } })).text);
  }
  expect(texts.size).toBe(1);
});
