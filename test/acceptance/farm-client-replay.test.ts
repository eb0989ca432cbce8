import { seenAlert, seenEquipment, type A64Client } from "@steading/sim";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startA64Farm, ZONE, type A64Farm } from "../support/a64-farm.ts";
import { secret } from "../support/run-record.ts";

const API_KEY = secret("q7Zt2mVx9Lb4Rk8Wc1Jf6Hs3Dn5Gy0Pa");
const NOBODY = "http://127.0.0.1:9"; // the discard port, where nothing listens

let farm: A64Farm;
beforeAll(async () => {
  farm = await startA64Farm({ environment: { MCP_API_KEY: API_KEY } });
  // The first readings, so that every question has an answer.
  const { http } = farm.client();
  const enough = async (): Promise<void> => {
    expect((await http.history(farm.probe)).length).toBeGreaterThan(3);
  };
  await vi.waitFor(enough, { timeout: 30_000 });
});
afterAll(() => farm.place.tidy());

interface Row {
  readonly [field: string]: unknown;
}
const rows = (value: readonly unknown[]): readonly Row[] => value as readonly Row[]; // a list of objects, or the test fails below

/** What a relay did, as the board itself saw it since a moment ago. */
function wireSince(before: number): readonly string[] {
  return farm.place
    .writes()
    .slice(before)
    .map(({ unit, request }) => `${unit} ${request}`);
}

function requestLines(a64: A64Client): readonly string[] {
  return a64.exchanges.map(({ request, status }) => `${request.toString("latin1").split(" HTTP/1.1")[0]} -> ${status}`);
}

/** The first line that is a JSON object, by itself or as a frame of a stream. */
function firstMessage(response = ""): unknown {
  const lines = response.split(/\r?\n/).map((line) => line.replace(/^data: /, ""));
  return JSON.parse(lines.find((line) => line.startsWith("{")) ?? "null");
}

// @proves farm.client-http.calls
describe("over HTTP", () => {
  test("health and set-up are told without a token", async () => {
    const a64 = farm.client();
    expect(await a64.http.health()).toMatchObject({
      status: "ok",
      database: "connected",
      timestamp: expect.stringMatching(/Z$/) as unknown,
      version: expect.any(String) as unknown,
    });
    const setup = (await a64.http.setupStatus()) as Row;
    expect(setup).toMatchObject({ needsSetup: false, setupCompleted: true, hasAdmin: true });
    expect(typeof setup["userCount"]).toBe("number");
    expect(requestLines(a64)).toEqual(["GET /api/health -> 200", "GET /api/auth/setup-status -> 200"]);
  });

  // @proves farm.client-http.token-life
  test("a login lasts the eight hours that the client counts on", async () => {
    const a64 = farm.client();
    const token = secret(await a64.http.login());
    const [, payload = ""] = token.split(".");
    const { iat, exp } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { iat: number; exp: number };
    expect(exp - iat).toBe(28_800);
    const [answer] = a64.exchanges;
    const { expiresAt, user } = JSON.parse(answer?.response.toString("utf8").split("\r\n\r\n")[1] ?? "") as Row;
    expect(Math.abs(Date.parse(String(expiresAt)) - exp * 1_000)).toBeLessThan(1_000);
    expect(user).toMatchObject({ email: farm.user.email, role: "operator" });
  });

  test("system and dashboard are objects that it can read", async () => {
    const a64 = farm.client();
    expect(await a64.http.systemInfo()).toMatchObject({
      version: expect.any(String) as unknown,
      uptime: expect.any(Number) as unknown,
      memory: { total: expect.any(Number) as unknown },
    });
    expect(await a64.http.dashboard()).toMatchObject({
      equipment: { total: 2, online: expect.any(Number) as unknown },
      zones: { total: 1 },
      automations: { total: expect.any(Number) as unknown },
      alerts: { unacknowledged: expect.any(Number) as unknown },
      latestReadings: expect.any(Array) as unknown,
      recentAlerts: expect.any(Array) as unknown,
    });
  });

  // @proves farm.client-http.field-names farm.client-http.zone-text
  test("equipment has the fields it reads, zone is a text, and both filters work", async () => {
    const a64 = farm.client();
    const seen = (await a64.http.equipment()).map(seenEquipment);
    expect(seen).toEqual([
      {
        id: farm.board,
        name: "Shed relays",
        type: "relay",
        zone: "",
        status: "online",
        lastReading: expect.anything() as unknown,
      },
      {
        id: farm.probe,
        name: "Soil north",
        type: "sensor",
        zone: ZONE,
        status: "online",
        lastReading: expect.anything() as unknown,
      },
    ]);
    expect((await a64.http.equipment({ status: "online", zone: ZONE })).map((row) => seenEquipment(row).id)).toEqual([
      farm.probe,
    ]);
    expect(await a64.http.equipment({ status: "offline" })).toEqual([]);
    expect(requestLines(a64).slice(-2)).toEqual([
      "GET /api/equipment?status=online&zone=North+Beds -> 200",
      "GET /api/equipment?status=offline -> 200",
    ]);
  });

  test("history comes as the list that it looks for, newest first, within from, to and limit", async () => {
    const a64 = farm.client();
    const all = rows(await a64.http.history(farm.probe, { limit: 4 }));
    expect(all).toHaveLength(4);
    expect(all[0]).toMatchObject({ equipment_id: farm.probe, value: expect.any(Number) as unknown });
    const times = all.map(({ timestamp }) => Date.parse(String(timestamp)));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    // With an offset in place of Z, which is the same instant.
    const from = new Date((times[3] ?? 0) + 4 * 3_600_000).toISOString().replace("Z", "+04:00");
    const to = new Date(times[0] ?? 0).toISOString();
    const some = rows(await a64.http.history(farm.probe, { from, to, limit: 100 }));
    expect(some.length).toBeGreaterThanOrEqual(4);
    for (const { timestamp } of some) {
      expect(Date.parse(String(timestamp))).toBeGreaterThanOrEqual(times[3] ?? 0);
      expect(Date.parse(String(timestamp))).toBeLessThanOrEqual(times[0] ?? 0);
    }
  });

  test("a relay is switched on the wire, on and off", async () => {
    const a64 = farm.client();
    for (const state of [true, false]) {
      const before = farm.place.writes().length;
      expect(await a64.http.controlRelay(farm.board, 4, state)).toMatchObject({
        success: true,
        channel: 4,
        state,
        confirmed: true,
      });
      expect(wireSince(before)).toEqual([`1 050004${state ? "ff00" : "0000"}`]);
      expect(farm.place.sim.isClosed("shed", 1, 5)).toBe(state);
    }
  });

  // @proves farm.client-http.relay-all-states
  test("a list of states switches each channel in the order of the mappings", async () => {
    const a64 = farm.client();
    const closed = () => Array.from({ length: 8 }, (_, i) => farm.place.sim.isClosed("shed", 1, i + 1));
    const states = [false, false, false, false, true, false, true, true];
    expect(await a64.http.controlAllRelays(farm.board, states)).toMatchObject({
      success: true,
      channels: 8,
      confirmed: true,
    });
    expect(closed()).toEqual(states);
    await a64.http.controlAllRelays(
      farm.board,
      Array.from({ length: 8 }, () => false),
    );
    expect(closed()).toEqual(Array.from({ length: 8 }, () => false));
  });

  test("an automation is made, changed, toggled, triggered on the wire and deleted", async () => {
    const a64 = farm.client();
    const made = (await a64.http.createAutomation({
      name: "Flush line six",
      description: "made by the backend",
      trigger_config: { type: "manual" },
      conditions: [],
      condition_logic: "AND",
      actions: [
        { type: "control", equipment_id: farm.board, channel: 5, action: "on" },
        { type: "control", equipment_id: farm.board, channel: 5, action: "off" },
      ],
      priority: 1,
    })) as { id: number; enabled: unknown };
    expect(made).toMatchObject({ name: "Flush line six", enabled: 1 });
    const find = async () => rows(await a64.http.automations()).find(({ id }) => id === made.id);
    expect(await find()).toMatchObject({ name: "Flush line six" });

    expect(await a64.http.updateAutomation(made.id, { name: "Flush line 6" })).toMatchObject({ name: "Flush line 6" });
    expect(await a64.http.toggleAutomation(made.id)).toMatchObject({ enabled: false });
    expect(await find()).toMatchObject({ name: "Flush line 6", enabled: 0 });
    expect(await a64.http.toggleAutomation(made.id)).toMatchObject({ enabled: true });

    const before = farm.place.writes().length;
    expect(await a64.http.triggerAutomation(made.id)).toMatchObject({
      success: true,
      automation_id: made.id,
      automation_name: "Flush line 6",
      run_count: 1,
    });
    expect(wireSince(before)).toEqual(["1 050005ff00", "1 0500050000"]);

    expect(await a64.http.deleteAutomation(made.id)).toMatchObject({ message: expect.any(String) as unknown });
    expect(await find()).toBeUndefined();
    await expect(a64.http.triggerAutomation(made.id)).rejects.toMatchObject({ status: 404 });
  });

  // @proves farm.client-http.acknowledged-text farm.client-http.field-names
  test("alerts are filtered by the texts true and false, and acknowledged once", async () => {
    const a64 = farm.client();
    const body = { severity: "critical", message: "Tank empty", equipment_id: farm.probe };
    const { id } = (await farm.place.rest("POST", "/api/alerts", { body })).json as { id: number };
    const ids = async (filter: { acknowledged: boolean }) =>
      (await a64.http.alerts({ severity: "critical", ...filter })).map((row) => seenAlert(row).id);
    expect(await ids({ acknowledged: false })).toContain(id);
    expect(await ids({ acknowledged: true })).not.toContain(id);
    expect((await a64.http.alerts()).map(seenAlert)).toContainEqual({
      id,
      severity: "critical",
      message: "Tank empty",
      acknowledged: 0,
    });

    expect(seenAlert(await a64.http.acknowledgeAlert(id))).toMatchObject({ id, acknowledged: 1 });
    expect(await ids({ acknowledged: true })).toContain(id);
    expect(await ids({ acknowledged: false })).not.toContain(id);
    await expect(a64.http.acknowledgeAlert(id)).rejects.toMatchObject({ status: 400 });
    expect(requestLines(a64)).toContain("GET /api/alerts?severity=critical&acknowledged=false -> 200");
  });

  // @proves farm.client-http.re-login
  test("a login that ended is refused, and the client's own login and second try succeed", async () => {
    const a64 = farm.client();
    await a64.http.automations();
    await farm.place.rest("POST", "/api/auth/logout", { token: await a64.http.token() });
    expect(await a64.http.equipment()).toHaveLength(2);
    expect(requestLines(a64).slice(-3)).toEqual([
      "GET /api/equipment -> 401",
      "POST /api/auth/login -> 200",
      "GET /api/equipment -> 200",
    ]);
  });
});

const WAYS = {
  "the login's token, a connection for each message": { connections: "each" },
  "the login's token, a connection for each handshake": { connections: "kept" },
  "the static key": { connections: "each", apiKey: API_KEY },
} as const;

// @proves farm.client-mcp.sequence farm.client-mcp.first-text farm.double.client
describe.each(Object.entries(WAYS))("over MCP with %s", (_way, options) => {
  const open = (): A64Client => farm.client(options);

  // @proves farm.mcp.initialize farm.mcp.notifications farm.mcp.versions farm.mcp.first-frame
  test("initialize, initialized and a call are 200 with a session, 202 and empty, and 200", async () => {
    const a64 = open();
    const seen = (await a64.mcp.equipment()).map(seenEquipment);
    expect(seen).toMatchObject([
      { id: farm.board, name: "Shed relays", type: "relay", zone: "", status: "online" },
      { id: farm.probe, name: "Soil north", type: "sensor", zone: ZONE, status: "online" },
    ]);
    const steps = a64.exchanges.filter(({ request }) => request.includes("POST /mcp"));
    expect(steps.map(({ status }) => status)).toEqual([200, 202, 200]);
    const [opened, noted, called] = steps.map(({ response }) => response.toString("utf8"));
    expect(opened).toMatch(
      /\r\nmcp-session-id: [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\r\n/i,
    );
    expect(firstMessage(opened)).toMatchObject({
      jsonrpc: "2.0",
      id: 1,
      result: { protocolVersion: "2024-11-05", serverInfo: { name: "sensehub", version: "1.0.0" } },
    });
    // Nothing, or the last chunk of nothing.
    expect(noted?.split("\r\n\r\n")[1]).toMatch(/^0?$/);
    expect(firstMessage(called)).toMatchObject({ jsonrpc: "2.0", id: 2 });
    const connections = new Set(steps.map(({ connection }) => connection));
    expect(connections.size).toBe(options.connections === "each" ? 3 : 2);
  });

  // @proves farm.mcp.plain-json
  test("each answer is plain JSON, never a stream that has to be waited for", async () => {
    const a64 = open();
    await a64.mcp.equipment();
    const types = a64.exchanges
      .filter(({ request, status }) => request.includes("POST /mcp") && status === 200)
      .map(({ response }) => /\r\ncontent-type: ([^\r;]*)/i.exec(response.toString("latin1"))?.[1]);
    expect(types).toEqual(["application/json", "application/json"]);
  });

  test("the session serves every later call, though each comes over a connection of its own and has id 2", async () => {
    const a64 = open();
    for (let call = 0; call < 5; call += 1) expect(await a64.mcp.automations()).toEqual(expect.any(Array));
    expect(a64.mcp.handshakes).toBe(1);
  });

  test("filters and ranges are understood as they are sent", async () => {
    const a64 = open();
    expect((await a64.mcp.equipment({ status: "online", zone: ZONE })).map((row) => seenEquipment(row).id)).toEqual([
      farm.probe,
    ]);
    const readings = rows(await a64.mcp.readings(farm.probe, { limit: 3 }));
    expect(readings).toHaveLength(3);
    const from = String(readings[2]?.["timestamp"]);
    expect(
      (await a64.mcp.readings(farm.probe, { from, to: new Date().toISOString(), limit: 50 })).length,
    ).toBeGreaterThanOrEqual(3);
    expect(await a64.mcp.alerts({ severity: "info", acknowledged: false })).toEqual([]);
  });

  test("health and system are read from one tool", async () => {
    const a64 = open();
    expect(await a64.mcp.health()).toMatchObject({ status: "ok", version: expect.any(String) as unknown });
    expect(await a64.mcp.systemInfo()).toMatchObject({
      uptime: expect.any(Number) as unknown,
      cpus: expect.anything() as unknown,
    });
  });

  test("a relay is switched on the wire, on and off", async () => {
    const a64 = open();
    for (const state of [true, false]) {
      const before = farm.place.writes().length;
      expect(await a64.mcp.controlRelay(farm.board, 6, state)).toMatchObject({ success: true, state, confirmed: true });
      expect(wireSince(before)).toEqual([`1 050006${state ? "ff00" : "0000"}`]);
      expect(farm.place.sim.isClosed("shed", 1, 7)).toBe(state);
    }
  });

  test("an automation is triggered on the wire and toggled back and forth", async () => {
    const a64 = open();
    const body = {
      name: "One click",
      trigger_config: { type: "manual" },
      actions: [{ type: "control", equipment_id: farm.board, channel: 7, action: "off" }],
    };
    const { id } = (await farm.place.rest("POST", "/api/automations", { body })).json as { id: number };
    const before = farm.place.writes().length;
    expect(await a64.mcp.triggerAutomation(id)).toMatchObject({ success: true, automation_id: id, run_count: 1 });
    expect(wireSince(before)).toEqual(["1 0500070000"]);
    expect(await a64.mcp.toggleAutomation(id)).toMatchObject({ enabled: false });
    expect(await a64.mcp.toggleAutomation(id)).toMatchObject({ enabled: true });
    const listed = rows(await a64.mcp.automations()).find((row) => row["id"] === id);
    expect(listed).toMatchObject({ name: "One click", enabled: true, actions: body.actions });
    await farm.place.rest("DELETE", `/api/automations/${id}`);
  });

  test("alerts come with real booleans, which the client passes on as they are", async () => {
    const a64 = open();
    const body = { severity: "warning", message: "Bed is dry" };
    const { id } = (await farm.place.rest("POST", "/api/alerts", { body })).json as { id: number };
    expect((await a64.mcp.alerts({ acknowledged: false })).map(seenAlert)).toContainEqual({
      id,
      severity: "warning",
      message: "Bed is dry",
      acknowledged: false,
    });
    await farm.place.rest("POST", `/api/alerts/${id}/acknowledge`);
    expect((await a64.mcp.alerts({ acknowledged: true })).map((row) => seenAlert(row).id)).toContain(id);
  });

  test("an error is data with a status to it, and nothing is switched", async () => {
    const a64 = open();
    const before = farm.place.writes().length;
    expect(await a64.mcp.controlRelay(farm.board, 99, true)).toMatchObject({ status: 400, retryable: false });
    expect(await a64.mcp.controlRelay(4711, 0, true)).toMatchObject({ status: 404, retryable: false });
    expect(await a64.mcp.triggerAutomation(4711)).toMatchObject({ status: 404 });
    expect(wireSince(before)).toEqual([]);
  });

  // @proves farm.mcp.unknown-session farm.mcp.delete
  test("a session that was ended is 404, and the client begins again by itself", async () => {
    const a64 = open();
    await a64.mcp.automations();
    const session = a64.mcp.session ?? "";
    const bearer = "apiKey" in options ? options.apiKey : await a64.http.token();
    const headers = { authorization: `Bearer ${bearer}`, "mcp-session-id": session };
    const ended = await fetch(`${farm.place.mcpServer}/mcp`, { method: "DELETE", headers });
    expect(ended.status).toBe(200);
    expect(await a64.mcp.equipment()).toHaveLength(2);
    expect(a64.mcp.session).not.toBe(session);
    const statuses = a64.exchanges.filter(({ request }) => request.includes("POST /mcp")).map(({ status }) => status);
    expect(statuses).toEqual([200, 202, 200, 404, 200, 202, 200]);
  });
});

// @proves farm.mcp-auth.unauthorized farm.mcp-auth.same-system
test("a login that ended is 401 at the MCP server; the client logs in at the core and begins again", async () => {
  const a64 = farm.client();
  await a64.mcp.automations();
  await farm.place.rest("POST", "/api/auth/logout", { token: await a64.http.token() });
  expect(await a64.mcp.equipment()).toHaveLength(2);
  expect(requestLines(a64).slice(-5)).toEqual([
    "POST /mcp -> 401",
    "POST /api/auth/login -> 200",
    "POST /mcp -> 200",
    "POST /mcp -> 202",
    "POST /mcp -> 200",
  ]);
});

// @proves farm.client-http.fallback
describe("when MCP fails the same questions are answered over HTTP", () => {
  test.each([
    ["nobody listens there", { mcp: NOBODY }],
    ["the key is refused", { apiKey: "a key that nobody knows, long enough" }],
  ])("because %s", async (_why, options) => {
    const a64 = farm.client(options);
    const seen = await a64.preferMcp(
      (mcp) => mcp.equipment(),
      (http) => http.equipment(),
    );
    expect(seen.map((row) => seenEquipment(row).name)).toEqual(["Shed relays", "Soil north"]);
    const before = farm.place.writes().length;
    await a64.preferMcp(
      (mcp) => mcp.controlRelay(farm.board, 4, false),
      (http) => http.controlRelay(farm.board, 4, false),
    );
    expect(wireSince(before)).toEqual(["1 0500040000"]);
    expect(a64.fallbacks).toBe(2);
  });

  test("and both ways work side by side", async () => {
    const a64 = farm.client();
    const [overMcp, overHttp] = [await a64.mcp.equipment(), await a64.http.equipment()];
    expect(overMcp.map((row) => seenEquipment(row).id)).toEqual(overHttp.map((row) => seenEquipment(row).id));
    expect(await a64.mcp.automations()).toHaveLength((await a64.http.automations()).length);
    expect(a64.http.logins).toBe(1);
  });
});

// @proves farm.tool.error-device
test.each([
  ["is dead", { dead: true }, 504],
  ["has a welded contact", { stuck: [5] }, 502],
])("a board that %s is told before the client gives up, over either way", async (_how, knobs, status) => {
  const a64 = farm.client();
  farm.place.sim.unit("shed", 1, knobs);
  try {
    expect(await a64.mcp.controlRelay(farm.board, 4, true)).toMatchObject({ status, retryable: true });
    await expect(a64.http.controlRelay(farm.board, 4, true)).rejects.toMatchObject({ status });
    // Its neighbour on the same bus goes on telling.
    expect(await a64.http.history(farm.probe, { limit: 1 })).toHaveLength(1);
  } finally {
    farm.place.sim.reset();
  }
  expect(farm.place.sim.isClosed("shed", 1, 5)).toBe(false);
});
