import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createRealClock, defineTool, silentLog, type Part, type Toolset } from "@steading/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { parseSettings } from "../settings/read-settings.ts";
import { createHub, type Hub } from "./create-hub.ts";

const LONG = 60_000; // a busy machine takes its time for a whole hub
const MANY = 600;
let dir: string;
let hub: Hub;
let url: string;
let token: string;

/** A part with more tools than a page holds, under dotted names, and named so that it sorts before the others. */
function manyTools(name: string, count: number): Part {
  const tools = Array.from({ length: count }, (_, n) =>
    defineTool({
      name: `a.v1.tool_${String(count - n).padStart(4, "0")}`,
      title: "A tool",
      summary: "Answers its own number.",
      input: z.object({}),
      output: z.object({ n: z.number() }),
      intent: "READ_ONLY",
      minimumRole: "viewer",
      handler: () => ({ n: count - n }),
    }),
  );
  const toolset: Toolset = { name, tools };
  return {
    name,
    toolsets: [toolset],
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    health: () => ({ status: "ok" }),
  };
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "steading-shell-"));
  hub = await createHub({
    settings: parseSettings("listen: [{port: 0}]"),
    data: dir,
    clock: createRealClock(),
    log: silentLog,
    more: () => [manyTools("a-many", MANY)],
  });
  await hub.start(new AbortController().signal);
  ({ url } = await hub.listen());
  token = (await hub.firstToken()) ?? expect.fail("the first start makes a token");
}, LONG);
afterAll(async () => {
  await hub.stop();
  rmSync(dir, { recursive: true });
}, LONG);

const headers = () => ({ Authorization: `Bearer ${token}` });

async function connected<T>(path: string, use: (client: Client) => Promise<T>, modern = true): Promise<T> {
  const client = new Client(
    { name: "test", version: "1" },
    modern ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${url}${path}`), {
    requestInit: { headers: headers() },
  });
  await client.connect(transport);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** All pages; the client's own list follows cursors by itself. */
const allNames = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);

// @proves steading.address.mcp-names-safe steading.address.mcp-names-safe-callable
test("with names=safe no listed name has a dot, and each can be called under the name it is listed by", async () => {
  await connected("/mcp/a-many?names=safe", async (client) => {
    const names = await allNames(client);
    expect(names.filter((name) => name.includes("."))).toEqual([]);
    const [first = ""] = names;
    expect((await client.callTool({ name: first, arguments: {} })).structuredContent).toEqual({ n: 1 });
  });
});

async function firstPage(path: string): Promise<{ tools: { name: string }[]; nextCursor?: string }> {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: {
      ...headers(),
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "Mcp-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/list",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/list",
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  return ((await answer.json()) as { result: { tools: { name: string }[]; nextCursor?: string } }).result;
}

// @proves steading.tools.page-500
test("a page holds five hundred tools, and the rest follows", async () => {
  const { tools, nextCursor } = await firstPage("/mcp");
  expect(tools).toHaveLength(500);
  expect(nextCursor).toEqual(expect.any(String));
  expect((await connected("/mcp", allNames)).length).toBeGreaterThan(MANY);
});

// @proves steading.tools.ordered-by-toolset-then-name
test("after the essential tools a list has one toolset after the other, each ordered by name", async () => {
  const essential = await connected("/mcp/essential", allNames);
  const rest = (await connected("/mcp", allNames)).slice(essential.length);
  let listed = 0;
  for (const toolset of ["a-many", "actions", "approvals", "graph-extras", "lamp", "snapshots", "stop"]) {
    const tools = (await connected(`/mcp/${toolset}`, allNames)).filter((name) => !essential.includes(name));
    expect(tools.length, toolset).toBeGreaterThan(0);
    expect(tools).toEqual(tools.toSorted((a, b) => (a < b ? -1 : 1)));
    const begins = rest.indexOf(tools[0] ?? "");
    expect(rest.slice(begins, begins + tools.length)).toEqual(tools);
    listed += tools.length;
  }
  expect(rest).toHaveLength(listed);
});

// @proves steading.address.essential-independent-of-points steading.address.essential-at-most-25 steading.address.essential-has-subjects-six steading.address.essential-has-find-describe-call steading.address.essential-has-get-action mcp.address.essential-at-most-25
test("the essential list is the same ten tools whatever there is", async () => {
  expect(await connected("/mcp/essential", allNames)).toEqual([
    "get_property",
    "invoke_method",
    "list_methods",
    "list_types",
    "query",
    "set_property",
    "get_action",
    "call_tool",
    "describe_tool",
    "find_tools",
  ]);
});

// @proves steading.address.messages-reserved mcp.address.messages-reserved
test("no toolset can be called messages, and a hub that is refused gives its directory back", async () => {
  const other = mkdtempSync(join(tmpdir(), "steading-shell-"));
  const settings = parseSettings("listen: [{port: 0}]");
  const shared = { settings, data: other, clock: createRealClock(), log: silentLog };
  await expect(createHub({ ...shared, more: () => [manyTools("messages", 1)] })).rejects.toThrow(/messages/);
  const again = await createHub(shared);
  await again.stop();
  rmSync(other, { recursive: true });
});

const NOWHERE = { uri: "steading:///nowhere/at/all" };

// @proves steading.mcp.unknown-resource-2026
test("a 2026 client that reads an unknown resource gets -32602", async () => {
  await connected("/mcp", async (client) => {
    await expect(client.readResource(NOWHERE)).rejects.toMatchObject({ code: -32_602 });
  });
});

// @proves steading.mcp.unknown-resource-2025
test("a 2025 client that reads an unknown resource gets -32002", async () => {
  // By hand: the official client shows this error under the other era's number.
  const say = (message: object, more: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        ...headers(),
        ...more,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const protocolVersion = "2025-06-18";
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const hello = await say({ id: 1, method: "initialize", params });
  await hello.text();
  const session = {
    "Mcp-Session-Id": hello.headers.get("mcp-session-id") ?? "",
    "Mcp-Protocol-Version": protocolVersion,
  };
  await (await say({ method: "notifications/initialized" }, session)).text();
  const answer = await say({ id: 2, method: "resources/read", params: NOWHERE }, session);
  expect(await answer.text()).toContain('"code":-32002');
});

// @proves steading.sse.messages-at-mcp
test("a client that knows only the old transport is served over SSE on /mcp", async () => {
  const client = new Client({ name: "old", version: "1" });
  const transport = new SSEClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: headers() },
    eventSourceInit: {
      fetch: (address, init) => fetch(address, { ...init, headers: { ...headers(), Accept: "text/event-stream" } }),
    },
  });
  await client.connect(transport);
  expect(await allNames(client)).toContain("query");
  await client.close();
});

// @proves steading.sse.messages-at-mcp-messages
test("such a client may post its messages to /mcp/messages, too", async () => {
  const leave = new AbortController();
  const stream = await fetch(`${url}/mcp`, {
    headers: { ...headers(), Accept: "text/event-stream" },
    signal: leave.signal,
  });
  const pieces = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = (await pieces?.read())?.value ?? "";
  const session = /sessionId=([\w-]+)/.exec(first)?.[1] ?? expect.fail(first);
  const posted = await fetch(`${url}/mcp/messages?sessionId=${session}`, {
    method: "POST",
    headers: { ...headers(), "Content-Type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "old", version: "1" } },
    }),
  });
  expect(posted.status).toBe(202);
  expect((await pieces?.read())?.value).toContain('"serverInfo"');
  leave.abort();
});

// @proves steading.limits.request-4-mib
test("a request of more than four mebibytes is refused before it is read", async () => {
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { ...headers(), "Content-Type": "application/json" },
    body: " ".repeat(4 * 1024 * 1024 + 1),
  });
  expect(answer.status).toBe(413);
});
