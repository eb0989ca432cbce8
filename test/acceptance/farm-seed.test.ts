import { shedRelays } from "@steading/farm/testing";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFarmPlace, type FarmPlace } from "../support/farm-place.ts";

let place: FarmPlace;
let board: number;
beforeAll(async () => {
  place = await startFarmPlace();
  const described = new Promise<void>((resolve) => place.part.toolsets[0]?.onChange?.(() => resolve()));
  const made = await place.part.core.book.create(shedRelays(place.addresses), "test");
  board = made.id;
  await described;
});
afterAll(() => place.close());

const WAYS: Record<string, (url: URL, token: string) => Transport> = {
  "legacy SSE": (url, token) => {
    const headers = { authorization: `Bearer ${token}` };
    // The header of the opening GET is what the seed asks for; messages come without one.
    const fetchWith = (input: string | URL | Request, init?: RequestInit) =>
      fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } });
    return new SSEClientTransport(url, { eventSourceInit: { fetch: fetchWith } });
  },
  "Streamable HTTP": (url, token) =>
    // The SDK's own type says that a session id may be undefined, its interface that it may not.
    new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }) as Transport,
};

const text = (result: object): unknown => {
  const [first] = (result as { content: { type: string; text: string }[] }).content;
  return JSON.parse(first?.text ?? "null");
};

// @proves farm.mcp.health-body
test("step 1: the health of the MCP port is exactly ok", async () => {
  const answer = await fetch(`${place.mcp}/health`);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ status: "ok" });
});

test("without a token the MCP port answers 401, and a login on the other port helps", async () => {
  const open = (token?: string) =>
    fetch(`${place.mcp}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "a64", version: "1" } },
      }),
    });
  const refused = await open("stale");
  expect(refused.status).toBe(401);
  expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer/);
  const admitted = await open(await place.login("operator"));
  expect(admitted.status).toBe(200);
  await admitted.body?.cancel();
});

// @proves farm.mcp-auth.bearer
describe.each(Object.keys(WAYS))("over %s", (way) => {
  let client: Client;
  beforeAll(async () => {
    client = new Client({ name: "a64", version: "1.0.0" });
    const transport = WAYS[way]?.(new URL(`${place.mcp}/mcp`), await place.login("operator"));
    if (!transport) throw new Error("There is no such transport.");
    await client.connect(transport);
  });
  afterAll(() => client.close());

  test("step 2: eight tools", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "control_relay",
      "get_alerts",
      "get_automations",
      "get_equipment_list",
      "get_sensor_readings",
      "get_system_status",
      "toggle_automation",
      "trigger_automation",
    ]);
    expect(tools.find(({ name }) => name === "get_equipment_list")?.description).toContain(`(ID ${board}, relay)`);
  });

  test("step 3: equipment is read", async () => {
    const rows = text(await client.callTool({ name: "get_equipment_list", arguments: {} }));
    expect(rows).toMatchObject([{ id: board, name: "Shed relays", type: "relay" }]);
  });

  test("step 4: a relay changes on the wire and in its read-back", async () => {
    const control = (state: boolean) =>
      client.callTool({ name: "control_relay", arguments: { equipment_id: board, channel: 2, state } });
    expect(text(await control(true))).toMatchObject({ success: true, state: true, confirmed: true });
    expect(place.sim.isClosed("shed", 1, 3)).toBe(true);
    expect(text(await control(false))).toMatchObject({ success: true, state: false, confirmed: true });
    expect(place.sim.isClosed("shed", 1, 3)).toBe(false);
  });

  test("step 5: the equipment resource is a JSON array", async () => {
    const { contents } = await client.readResource({ uri: "sensehub://equipment" });
    const [content] = contents;
    expect(content).toMatchObject({ uri: "sensehub://equipment", mimeType: "application/json" });
    expect(JSON.parse(content && "text" in content ? content.text : "")).toMatchObject([{ id: board }]);
  });

  // @proves farm.subscription.subscribe farm.subscription.both-streams farm.resource.capabilities
  test("step 6: a subscriber of the alerts hears when one is raised", async () => {
    expect(client.getServerCapabilities()).toMatchObject({
      resources: { subscribe: true, listChanged: true },
      tools: { listChanged: true },
    });
    const heard = new Promise<string>((resolve) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
    });
    expect(await client.subscribeResource({ uri: "sensehub://alerts" })).toEqual({});
    expect(await client.subscribeResource({ uri: "sensehub://alerts" })).toEqual({});
    await place.part.core.alerts.raise({ severity: "critical", message: "Tank empty", source: "test" });
    expect(await heard).toBe("sensehub://alerts");
    expect(await client.unsubscribeResource({ uri: "sensehub://alerts" })).toEqual({});
  });
});
