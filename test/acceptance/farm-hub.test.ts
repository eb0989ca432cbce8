import { shedRelays, soilProbe } from "@steading/farm/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import WebSocket from "ws";
import { connectFarm2025, connectFarm2026 } from "../support/farm-clients.ts";
import { startFarmHub, type FarmHub } from "../support/farm-hub.ts";
import { connect2026 } from "../support/mcp-clients.ts";
import { secret } from "../support/run-record.ts";

const KEY = secret("mcp-static-key-for-tests-0123456789");

let place: FarmHub;
let board: number;
let probe: number;
beforeAll(async () => {
  place = await startFarmHub({ environment: { MCP_API_KEY: KEY, SESSION_TIMEOUT: "3600000" } });
  board = await place.addEquipment(shedRelays(place.addresses));
  probe = await place.addEquipment(soilProbe(place.addresses));
});
afterAll(() => place.tidy());

const EIGHT = [
  "control_relay",
  "get_alerts",
  "get_automations",
  "get_equipment_list",
  "get_sensor_readings",
  "get_system_status",
  "toggle_automation",
  "trigger_automation",
];

// @proves steading.address.essential-has-farm-eight
test("the eight are in essential and at /mcp/farm of the main port as well", async () => {
  const namesAt = async (path: string): Promise<string[]> => {
    const client = await connect2026(
      { over: "http", mcp: `${place.hub.mcp}${path}`, token: place.hub.token },
      { pin: "2026-07-28" },
    );
    const names = (await client.listTools()).map(({ name }) => name);
    await client.close();
    return names.toSorted();
  };
  expect(await namesAt("/farm")).toEqual(EIGHT);
  expect(await namesAt("/essential")).toEqual(expect.arrayContaining([...EIGHT, "query"]));
});

// @proves steading.address.farm-port-exactly-eight
test("the farm's port has no other address, no metrics and no REST", async () => {
  const statuses = await Promise.all(
    ["/mcp/essential", "/mcp/subjects", "/metrics", "/api/equipment", "/openapi.json"].map(
      async (path) =>
        (await fetch(`${place.mcpServer}${path}`, { headers: { authorization: `Bearer ${place.hub.token}` } })).status,
    ),
  );
  expect(statuses).toEqual([404, 404, 404, 404, 404]);
});

test("what its shell counts is in the hub's metrics, told apart by its listener", async () => {
  await fetch(`${place.mcpServer}/mcp`, { method: "POST" });
  const { text } = await place.rest("GET", "/metrics");
  const refused = /^steading_http_refused_total\{why="unauthorized",listener="farm"\} (\d+)$/m.exec(text)?.[1];
  expect(Number(refused)).toBeGreaterThan(0);
  expect(text).toMatch(/^steading_farm_devices 2$/m);
  expect(text.split("\n").filter((line) => line.startsWith("# TYPE steading_http_refused_total"))).toHaveLength(1);
});

// @proves steading.address.farm-api
test("REST and its description are on the main port", async () => {
  const described = (await place.rest("GET", "/openapi.json")).json as { paths: Record<string, unknown> };
  expect(Object.keys(described.paths)).toEqual(
    expect.arrayContaining(["/api/auth/login", "/api/equipment", "/api/equipment/{id}/relay/control"]),
  );
  expect(await place.rest("GET", "/api/equipment", { token: null })).toMatchObject({ status: 401 });
});

// @proves steading.address.farm-websocket
test("/ws of the main port tells a relay that was switched over MCP", async () => {
  const socket = new WebSocket(`${place.hub.url.replace("http", "ws")}/ws`, {
    headers: { authorization: `Bearer ${place.hub.token}` },
  });
  const heard: { type?: unknown; data?: unknown }[] = [];
  socket.on("message", (data: Buffer) => heard.push(JSON.parse(data.toString()) as { type?: unknown }));
  await expect.poll(() => heard.map(({ type }) => type)).toContain("connected");
  const client = await connectFarm2026(`${place.mcpServer}/mcp`, KEY);
  await client.call("control_relay", { equipment_id: board, channel: 4, state: true });
  await expect
    .poll(() => heard)
    .toContainEqual(
      expect.objectContaining({
        type: "relay_state_changed",
        data: expect.objectContaining({ equipmentId: board, channel: 4, state: true }) as unknown,
      }),
    );
  await client.call("control_relay", { equipment_id: board, channel: 4, state: false });
  await client.close();
  socket.terminate();
});

// @proves steading.mount.farm
test("a write in the graph is the same switch, and what sensors say has a past", async () => {
  const caller = await connect2026({ over: "http", mcp: place.hub.mcp, token: place.hub.token }, { pin: "2026-07-28" });
  const path = `/farm/equipment/${board}/channels[5]/on`;
  const answer = await caller.call("set_property", { path, value: true });
  expect(answer.structured).toMatchObject({ status: "confirmed" });
  expect(place.sim.isClosed("shed", 1, 6)).toBe(true);
  await caller.call("set_property", { path, value: false });

  const history = async (): Promise<readonly unknown[]> => {
    const { json } = await place.rest("GET", `/api/equipment/${probe}/history?limit=1000&metric=moisture`);
    return (json as { readings: unknown[] }).readings;
  };
  await expect.poll(async () => (await history()).length).toBeGreaterThan(3);
  await caller.close();
});

// @proves farm.mcp-auth.static-key farm.mcp-auth.static-key-wrong
test("MCP_API_KEY opens the farm's port as an operator, and nothing else anywhere", async () => {
  const client = await connectFarm2025(`${place.mcpServer}/mcp`, KEY);
  const on = await client.call("control_relay", { equipment_id: board, channel: 3, state: true });
  expect(on).toMatchObject({ isError: false, json: { success: true, confirmed: true } });
  expect(place.sim.isClosed("shed", 1, 4)).toBe(true);
  await client.call("control_relay", { equipment_id: board, channel: 3, state: false });
  await client.close();
  await expect(connectFarm2025(`${place.mcpServer}/mcp`, `${KEY}x`)).rejects.toThrow(/401|Unauthorized/i);
  expect(await place.rest("GET", "/api/equipment", { token: KEY })).toMatchObject({ status: 401 });
  expect((await fetch(place.hub.mcp, { method: "POST", headers: { authorization: `Bearer ${KEY}` } })).status).toBe(
    401,
  );
});

// @proves farm.auth.expires-at
test("SESSION_TIMEOUT is how long a login lasts, whatever its token says", async () => {
  const user = await place.addUser("viewer");
  const asked = Date.now();
  const { json } = await place.rest("POST", "/api/auth/login", { body: user, token: null });
  const { expiresAt, token } = json as { expiresAt: string; token: string };
  secret(token);
  const lasts = Date.parse(expiresAt) - asked;
  expect(lasts).toBeGreaterThan(3_590_000);
  expect(lasts).toBeLessThanOrEqual(3_660_000);
  // The token says what clients count on; the login behind it is what ends.
  const says = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as {
    iat: number;
    exp: number;
  };
  expect(says.exp - says.iat).toBe(8 * 3_600);
});

test("equipment, accounts and readings outlive a restart", async () => {
  const user = await place.addUser("operator");
  const token = await place.logIn(user);
  await place.restart();
  const client = await connectFarm2026(`${place.mcpServer}/mcp`, token);
  await expect
    .poll(async () => (await client.call("get_equipment_list", {})).json)
    .toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: board, status: "online" }),
        expect.objectContaining({ id: probe, status: "online" }),
      ]),
    );
  await client.close();
});
