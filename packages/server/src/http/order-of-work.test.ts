import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pick, post, send } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell;
beforeAll(async () => {
  shell = await startShell();
});
afterAll(() => shell.close());

/** fetch does not let a test choose the Host header. */
function getWithHost(
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; body: unknown }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${shell.url}${path}`, { headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("end", () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
    });
    asked.on("error", reject).end();
  });
}

// @proves mcp.order.host-first mcp.order.guard-error-shape mcp.order.guards-before-health
test.each(["/health", "/mcp", "/.well-known/oauth-protected-resource"])(
  "a foreign Host or Origin gets no further than the door of %s",
  async (path) => {
    const refused = { status: 403, body: { jsonrpc: "2.0", id: null, error: { code: -32000 } } };
    expect(await getWithHost(path, { host: "evil.example" })).toMatchObject(refused);
    expect(await getWithHost(path, { origin: "http://evil.example" })).toMatchObject(refused);
    expect(await getWithHost(path, { origin: "null" })).toMatchObject(refused);
  },
);

// @proves mcp.endpoint.health-body mcp.endpoint.health-no-auth mcp.order.public-paths-before-auth
test("health is told without credentials and without details", async () => {
  for (const path of ["/health", "/healthz"]) {
    const answer = await send(`${shell.url}${path}`, undefined, {}, "GET");
    expect(answer).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  }
});

test("readiness follows the hub's health and keeps the reason to itself", async () => {
  let status: "ok" | "degraded" | "down" = "down";
  const other = await startShell({ health: () => ({ status, reason: "secret" }) });
  const ready = () => send(`${other.url}/readyz`, undefined, {}, "GET");
  expect(await ready()).toMatchObject({ status: 503, text: '{"status":"down"}' });
  status = "degraded";
  expect(await ready()).toMatchObject({ status: 200, text: '{"status":"degraded"}' });
  await other.close();
});

// @proves mcp.order.auth-before-media-type mcp.auth.token-missing mcp.auth.token-bad mcp.auth.challenge-header mcp.auth.body-oauth-json
test.each([undefined, "Bearer wrong", "Basic abc", "Bearer"])(
  "the credential %j is answered 401 with a challenge",
  async (authorization) => {
    const answer = await send(shell.mcp, "not json", { authorization, "content-type": "text/plain" });
    expect(answer).toMatchObject({ status: 401, body: { error: "invalid_token" } });
    const challenge = answer.headers.get("www-authenticate") ?? "";
    expect(challenge).toMatch(
      /^Bearer error="invalid_token", error_description="[^"]+", scope="mcp", resource_metadata="/,
    );
    expect(challenge).toContain(`${shell.url}/.well-known/oauth-protected-resource/mcp"`);
  },
);

test("the document a challenge points at names the resource", async () => {
  for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]) {
    const answer = await send(`${shell.url}${path}`, undefined, {}, "GET");
    expect(answer).toMatchObject({ status: 200, body: { resource: `${shell.url}/mcp`, scopes_supported: ["mcp"] } });
  }
});

// @proves mcp.auth.not-in-query
test("a token in the query opens nothing", async () => {
  const answer = await post(`${shell.url}/mcp?access_token=${shell.admin}&token=${shell.admin}`, "tools/list");
  expect(answer.status).toBe(401);
});

test("a revoked token is refused from the next request on, though it was remembered", async () => {
  const { token, record } = await shell.tokens.create({ principal: "otto", role: "viewer", label: "test" });
  expect(await post(shell.mcp, "tools/list", {}, { token })).toMatchObject({ status: 200 });
  await shell.tokens.revoke(record.id);
  expect(await post(shell.mcp, "tools/list", {}, { token })).toMatchObject({ status: 401 });
});

// @proves mcp.endpoint.delete-without-session
test("methods that mean nothing here are answered 405", async () => {
  for (const method of ["DELETE", "PUT", "PATCH"]) {
    const answer = await send(shell.mcp, undefined, { authorization: `Bearer ${shell.admin}` }, method);
    expect(answer).toMatchObject({ status: 405, body: { error: { code: -32000 } } });
  }
});

test("an address that is not ours is not found", async () => {
  for (const path of ["/", "/mcpx", "/mcp/nobody", "/mcp/tests/x", "/.well-known/x"]) {
    expect(await send(`${shell.url}${path}`, undefined, {}, "GET")).toMatchObject({ status: 404 });
  }
});

const toolNames = async (path: string, token: string): Promise<string[]> => {
  const answer = await post(`${shell.url}${path}`, "tools/list", {}, { token });
  return pick<{ name: string }[]>(answer.body, "result", "tools").map((tool) => tool.name);
};

// @proves mcp.address.mcp-every-toolset mcp.address.one-toolset-path mcp.lists.order
test("the address decides which tools are seen, the role which of them", async () => {
  expect(await toolNames("/mcp", shell.admin)).toEqual(["echo", "count", "refuse", "wait", "who.am.i", "operate"]);
  expect(await toolNames("/mcp", shell.viewer)).toEqual(["echo", "count", "refuse", "wait", "who.am.i"]);
  expect(await toolNames("/mcp/essential", shell.admin)).toEqual(["echo"]);
  expect(await toolNames("/mcp/works", shell.admin)).toEqual(["operate"]);
  expect(await toolNames("/mcp/works", shell.viewer)).toEqual([]);
});

// @proves mcp.auth.token-scope-narrows
test("a token for one toolset sees only that", async () => {
  const { token } = await shell.tokens.create({
    principal: "wim",
    role: "admin",
    label: "test",
    scope: { toolsets: ["works"] },
  });
  expect(await toolNames("/mcp", token)).toEqual(["operate"]);
});

// @proves mcp.lists.hidden-tool-unknown
test("a hidden tool is answered exactly like an absent one", async () => {
  const call = async (name: string) =>
    (await post(shell.mcp, "tools/call", { name }, { token: shell.viewer })).text.replaceAll(name, "X");
  expect(await call("operate")).toBe(await call("absent"));
});

// @proves mcp.address.names-safe
test("safe names hold no dots and reach the same tool", async () => {
  expect(await toolNames("/mcp?names=safe", shell.viewer)).toContain("who_am_i");
  const answer = await post(`${shell.url}/mcp?names=safe`, "tools/call", { name: "who_am_i" }, { token: shell.viewer });
  expect(pick(answer.body, "result", "structuredContent")).toMatchObject({ principal: "vera" });
});
