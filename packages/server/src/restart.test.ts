import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createManualClock, createMemoryLedger, silentLog } from "@steading/kernel";
import { expect, test } from "vitest";
import { createAccessTokens } from "./auth/access-tokens.ts";
import { createServer } from "./server.ts";
import { createHandDispatcher } from "./testing/hand-dispatcher.ts";
import { HAND_TOOLS } from "./testing/hand-tools.ts";
import { post, send } from "./testing/post.ts";

/** Hubs that follow each other over the same ledger, on the same port. */
function createHub() {
  const clock = createManualClock();
  const ledger = createMemoryLedger({ clock });
  const start = async (port: number) => {
    const server = createServer({
      dispatcher: createHandDispatcher(...HAND_TOOLS),
      resources: [],
      authenticator: createAccessTokens({ ledger, clock }),
      info: { name: "test-shell", version: "1" },
      instructions: "",
      clock,
      log: silentLog,
      health: () => ({ status: "ok" }),
    });
    return { server, ...(await server.listen({ host: "127.0.0.1", port })) };
  };
  return { start, tokens: createAccessTokens({ ledger, clock }) };
}

test("after a restart a 2026 client goes on, and a 2025 client is told to begin anew", async () => {
  const { start, tokens } = createHub();
  const { token } = await tokens.create({ principal: "anna", role: "admin", label: "test" });
  const first = await start(0);
  const url = new URL(`${first.url}/mcp`);
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const client = new Client({ name: "modern", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  expect(await client.callTool({ name: "echo" })).toMatchObject({ structuredContent: { echo: null } });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const initialize = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const opened = await send(url, initialize, { authorization: `Bearer ${token}` });
  const session = { authorization: `Bearer ${token}`, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };

  await first.server.close();
  const second = await start(first.port);

  // The connection it kept open is gone; a retry makes another.
  const retried = await client.callTool({ name: "echo" }).catch(() => client.callTool({ name: "echo" }));
  expect(retried).toMatchObject({ structuredContent: { echo: null } });
  expect(await send(url, JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" }), session)).toMatchObject({
    status: 404,
    body: { error: { code: -32001 } },
  });
  expect(await send(url, initialize, { authorization: `Bearer ${token}` })).toMatchObject({ status: 200 });
  await client.close();
  await second.server.close();
});

// @proves mcp.pitfalls.no-instance-across-eras mcp.instance.fresh-per-request
test("many requests of both eras at once never meet in one instance", async () => {
  const { start, tokens } = createHub();
  const { token } = await tokens.create({ principal: "anna", role: "admin", label: "test" });
  const { server, url } = await start(0);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const opened = await send(`${url}/mcp`, JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }), {
    authorization: `Bearer ${token}`,
  });
  const session = { authorization: `Bearer ${token}`, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const mixed = await Promise.all(
    Array.from({ length: 20 }, (_, id) =>
      id % 2 === 0
        ? post(`${url}/mcp`, "resources/list", {}, { token, id })
        : send(`${url}/mcp`, JSON.stringify({ jsonrpc: "2.0", id, method: "resources/list" }), session),
    ),
  );
  expect(mixed.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(mixed.map(({ body }) => (body as { error?: unknown }).error)).toEqual(
    Array.from({ length: 20 }, () => undefined),
  );
  await server.close();
});
