import { request } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createRealClock, silentLog } from "@steading/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseSettings } from "../settings/read-settings.ts";
import { createHub, type Hub } from "./create-hub.ts";

const LONG = 60_000; // a busy machine takes its time for a whole hub
let dir: string;
let hub: Hub;
let url: string;
let token: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "steading-addresses-"));
  hub = await createHub({
    settings: parseSettings("listen: [{port: 0}]"),
    data: dir,
    clock: createRealClock(),
    log: silentLog,
  });
  await hub.start(new AbortController().signal);
  ({ url } = await hub.listen());
  token = (await hub.firstToken()) ?? expect.fail("the first start makes a token");
}, LONG);
afterAll(async () => {
  await hub.stop();
  rmSync(dir, { recursive: true });
}, LONG);

async function connected<T>(
  path: string,
  use: (client: Client) => Promise<T>,
  era: "2025" | "2026" = "2026",
): Promise<T> {
  const client = new Client(
    { name: "test", version: "1" },
    era === "2026" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  );
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${path}`), { requestInit: { headers } }));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const toolNames = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);

// @proves steading.address.mcp steading.address.mcp-both-eras-one-url
test("one address serves every tool to a client of either era", async () => {
  const modern = await connected("/mcp", toolNames);
  const legacy = await connected("/mcp", toolNames, "2025");
  expect(modern).toEqual(legacy);
  expect(modern).toEqual(expect.arrayContaining(["query", "set_property", "get_action", "list_actions", "call_tool"]));
});

// @proves steading.address.one-toolset
test("the address of a toolset serves its tools and no others", async () => {
  expect(await connected("/mcp/actions", toolNames)).toEqual(["get_action", "list_actions"]);
  await expect(connected("/mcp/nothing", toolNames)).rejects.toThrow();
});

// @proves steading.tools.essential-first steading.tools.name-alphabet steading.tools.name-at-most-64
test("a list begins with the essential tools, and every name fits every client", async () => {
  const all = await connected("/mcp", toolNames);
  const essential = await connected("/mcp/essential", toolNames);
  expect(all.slice(0, essential.length)).toEqual(essential);
  for (const name of all) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
});

// @proves steading.address.health steading.address.healthz
test.each(["/health", "/healthz"])("%s answers anybody that the process is alive", async (path) => {
  const response = await fetch(`${url}${path}`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: "ok" });
});

/** `fetch` keeps the Host header to itself. */
function status(headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/health`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on("error", reject).end();
  });
}

// @proves steading.listen.host-checked steading.listen.origin-checked
test("a foreign Host and a foreign Origin are refused", async () => {
  expect(await status({})).toBe(200);
  expect(await status({ Host: "evil.example" })).toBe(403);
  expect(await status({ Origin: "https://evil.example" })).toBe(403);
});

// @proves steading.listen.credential-asked
test("without a credential MCP is refused", async () => {
  expect((await fetch(`${url}/mcp`, { method: "POST", body: "{}" })).status).toBe(401);
});
