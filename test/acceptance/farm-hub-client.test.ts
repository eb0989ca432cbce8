import { shedRelays, soilProbe } from "@steading/farm/testing";
import { createA64Client, seenAlert, seenEquipment, type A64Client } from "@steading/sim";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startFarmHub, type FarmHub } from "../support/farm-hub.ts";

/** The backend that exists, byte for byte as it sends, against a hub as people start it. */
let place: FarmHub;
let client: A64Client;
let user: { readonly email: string; readonly password: string };
let board: number;
let probe: number;

const backend = (options: object = {}): A64Client =>
  createA64Client({ core: place.hub.url, mcp: place.mcpServer, ...user, ...options });

beforeAll(async () => {
  place = await startFarmHub();
  user = await place.addUser("operator");
  board = await place.addEquipment(shedRelays(place.addresses));
  probe = await place.addEquipment(soilProbe(place.addresses));
  client = backend();
});
afterAll(() => place.tidy());

// @proves farm.client-http.calls farm.client-http.field-names farm.client-http.zone-text
test("what it reads over HTTP has the names it looks for", async () => {
  expect(await client.http.health()).toMatchObject({ status: "ok", database: "connected" });
  expect(await client.http.setupStatus()).toMatchObject({ needsSetup: false });
  expect(await client.http.systemInfo()).toMatchObject({ version: expect.any(String) as unknown });
  expect(await client.http.dashboard()).toBeTypeOf("object");
  await expect.poll(async () => (await client.http.equipment({ status: "online" })).length).toBe(2);
  const rows = (await client.http.equipment()).map(seenEquipment);
  expect(rows).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: board, name: "Shed relays", type: "relay", zone: "", status: "online" }),
      expect.objectContaining({ id: probe, type: "sensor", lastReading: expect.anything() as unknown }),
    ]),
  );
});

// @proves farm.client-http.relay-all-states
test("its switches move contacts over HTTP and over MCP, one or all at once", async () => {
  const closed = (): boolean[] => [1, 2, 3, 4, 5, 6, 7, 8].map((channel) => place.sim.isClosed("shed", 1, channel));
  const states = [false, true, false, false, false, false, false, false];
  await client.http.controlRelay(board, 1, true);
  expect(closed()).toEqual(states);
  expect(await client.mcp.controlRelay(board, 1, false)).toMatchObject({ success: true, state: false });
  expect(closed()).toEqual(states.map(() => false));
  await client.http.controlAllRelays(board, states);
  expect(closed()).toEqual(states);
  await client.http.controlAllRelays(
    board,
    states.map(() => false),
  );
  expect(closed()).toEqual(states.map(() => false));
});

test("automations are made, toggled, triggered and deleted, and what they do is on the wire", async () => {
  const made = (await client.http.createAutomation({
    name: "Pump on",
    trigger_config: { type: "manual" },
    actions: [{ type: "control", equipment_id: board, channel: 0, action: "on" }],
  })) as { id: number };
  await client.mcp.triggerAutomation(made.id);
  expect(place.sim.isClosed("shed", 1, 1)).toBe(true);
  await client.http.updateAutomation(made.id, {
    actions: [{ type: "control", equipment_id: board, channel: 0, action: "off" }],
  });
  await client.http.triggerAutomation(made.id);
  expect(place.sim.isClosed("shed", 1, 1)).toBe(false);
  expect(await client.mcp.toggleAutomation(made.id)).toMatchObject({ enabled: false });
  expect(await client.mcp.automations()).toEqual([expect.objectContaining({ id: made.id, enabled: false })]);
  await client.http.deleteAutomation(made.id);
  expect(await client.http.automations()).toEqual([]);
});

// @proves farm.client-http.acknowledged-text
test("alerts are read with the filter as it writes it, and acknowledged", async () => {
  await place.rest("POST", "/api/alerts", { body: { severity: "warning", message: "Tank low" } });
  const [alert] = (await client.http.alerts({ acknowledged: false })).map(seenAlert);
  expect(alert).toMatchObject({ message: "Tank low", severity: "warning" });
  await client.http.acknowledgeAlert(Number(alert?.id));
  expect(await client.http.alerts({ acknowledged: false })).toEqual([]);
  expect((await client.mcp.alerts({ acknowledged: true })).map(seenAlert)).toEqual([
    expect.objectContaining({ id: alert?.id, message: "Tank low" }),
  ]);
});

// @proves farm.client-http.re-login farm.mcp-auth.same-system
test("after its login was ended it is told 401 on either port, logs in and goes on", async () => {
  const fresh = backend();
  await fresh.mcp.equipment();
  await place.rest("POST", "/api/auth/logout", { token: await fresh.http.token() });
  expect(await fresh.mcp.equipment()).toHaveLength(2);
  expect(fresh.http.logins).toBe(2);
  await place.rest("POST", "/api/auth/logout", { token: await fresh.http.token() });
  expect(await fresh.http.equipment()).toHaveLength(2);
  expect(fresh.http.logins).toBe(3);
  expect(fresh.exchanges.length).toBeGreaterThan(5);
});

// @proves farm.mcp.session-caps
test("three hundred backends that each open a session are all served; the oldest sessions give way", async () => {
  const token = await client.http.token();
  const open = (): Promise<Response> =>
    fetch(`${place.mcpServer}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "a64", version: "1" } },
      }),
    });
  const statuses = new Set<number>();
  for (let n = 0; n < 300; n += 1) {
    const answer = await open();
    statuses.add(answer.status);
    await answer.text();
  }
  expect([...statuses]).toEqual([200]);
  // The client's own session gave way meanwhile; it finds out by 404 and begins again.
  expect(await client.mcp.equipment()).toHaveLength(2);
});

// @proves farm.client-http.fallback
test("when the MCP port is gone, HTTP still answers", async () => {
  const lost = backend({ mcp: "http://127.0.0.1:1" });
  const rows = await lost.preferMcp(
    (mcp) => mcp.equipment(),
    (http) => http.equipment(),
  );
  expect([rows.length, lost.fallbacks]).toEqual([2, 1]);
});
