import { createFarmBridge } from "@steading/farm";
import { shedRelays, soilProbe } from "@steading/farm/testing";
import { createRealClock, silentLog } from "@steading/kernel";
import { createA64Client, createSenseHubCore, type SenseHubCore } from "@steading/sim";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { connectFarm2025, connectFarm2026, connectFarmSse, type FarmClient } from "../support/farm-clients.ts";
import { startFarmHub, type FarmHub } from "../support/farm-hub.ts";
import { startFarmPlace } from "../support/farm-place.ts";
import { secret } from "../support/run-record.ts";

const KEY = secret("mcp-static-key-of-the-bridge-0123456789");
const PASSWORD = secret("hoe by the door");

async function logIn(url: string, email: string, password: string = PASSWORD): Promise<string> {
  const answer = await fetch(`${url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  expect(answer.status).toBe(200);
  return secret(((await answer.json()) as { token: string }).token);
}

async function health(place: FarmHub, token?: string): Promise<{ status: number; json: unknown }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${place.mcpServer}/health`, { headers });
  return { status: answer.status, json: await answer.json() };
}

function open(place: FarmHub, token: string): Promise<Response> {
  const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "a64", version: "1" } };
  return fetch(`${place.mcpServer}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
}

const WAYS: Record<string, (mcp: string, token: string) => Promise<FarmClient>> = {
  "the seed's SSE": connectFarmSse,
  "Streamable HTTP of 2025": connectFarm2025,
  "Streamable HTTP of 2026": connectFarm2026,
};

describe("a hub in front of a core of the reference", () => {
  let core: SenseHubCore;
  let url: string;
  let place: FarmHub;
  /** Numbers are never used twice, here as there. */
  let alerts = 100;
  beforeAll(async () => {
    core = createSenseHubCore();
    url = await core.start();
    place = await startFarmHub({
      environment: {
        SENSEHUB_API_URL: url,
        MCP_API_KEY: KEY,
        MCP_SENSEHUB_EMAIL: "admin@sensehub.example",
        MCP_SENSEHUB_PASSWORD: PASSWORD,
      },
    });
  });
  afterAll(async () => {
    await place.tidy();
    await core.stop();
  });

  const as = (token: string, connect = connectFarm2025): Promise<FarmClient> =>
    connect(`${place.mcpServer}/mcp`, token);
  const bearersOf = (call: string): Set<string | undefined> =>
    new Set(
      core.requests.filter(({ method, url: at }) => `${method} ${at}` === call).map((each) => each.authorization),
    );

  // @proves farm.mode.bridge farm.mcp-auth.bridge-forwards farm.mcp.health-body
  test.each(Object.entries(WAYS))("the seed's six steps over %s", async (_way, connect) => {
    expect(await health(place)).toEqual({ status: 200, json: { status: "ok" } });
    const token = await logIn(url, "operator@sensehub.example");
    const client = await connect(`${place.mcpServer}/mcp`, token);
    expect(await client.tools()).toHaveLength(8);
    const described = async () => (await client.tools()).find(({ name }) => name === "get_equipment_list")?.description;
    await expect.poll(described).toContain("'Pump Board (ID 2, relay)'");
    const listed = await client.call("get_equipment_list", { status: "online" });
    expect(listed).toMatchObject({
      isError: false,
      json: [{ id: 1 }, { id: 2, enabled: true, channels: [{}, {}, {}] }],
    });
    for (const state of [true, false]) {
      const switched = await client.call("control_relay", { equipment_id: 2, channel: 1, state });
      expect(switched.json).toMatchObject({ success: true, channel: 1, state, confirmed: true });
      const board = core.site.equipment.find(({ id }) => id === 2);
      expect(JSON.parse(board?.last_reading ?? "null")).toMatchObject({ relayStates: { 1: state } });
    }
    expect((await client.read("sensehub://equipment")).json).toHaveLength(3);
    const heard = await client.subscribe("sensehub://alerts");
    alerts += 1;
    core.site.alerts.push({ ...core.site.alerts[0]!, id: alerts, message: "Too dry", acknowledged: 0 });
    await expect.poll(() => heard.map(({ uri }) => uri), { timeout: 15_000 }).toContain("sensehub://alerts");
    expect((await client.read("sensehub://alerts")).json).toMatchObject([{ id: expect.any(Number) as unknown }, {}]);
    core.site.alerts.pop();
    await client.close();
    expect([...bearersOf("POST /api/equipment/2/relay/control")]).toContain(`Bearer ${token}`);
    expect(
      [...bearersOf("POST /api/equipment/2/relay/control")].filter((each) => !each?.startsWith("Bearer ")),
    ).toEqual([]);
  });

  // @proves farm.mcp-auth.bridge-check
  test("a token costs the core one session call, however many requests it comes with", async () => {
    const token = await logIn(url, "operator@sensehub.example");
    const checks = () =>
      core.requests.filter((each) => each.url === "/api/auth/session" && each.authorization === `Bearer ${token}`)
        .length;
    for (let i = 0; i < 5; i += 1) expect((await open(place, token)).status).toBe(200);
    expect(checks()).toBe(1);
    expect((await open(place, `${token}x`)).status).toBe(401);
  });

  // @proves farm.mcp-auth.viewer-write farm.mcp-auth.caller-role
  test("a viewer of the core reads and does not switch", async () => {
    const client = await as(await logIn(url, "viewer@sensehub.example"));
    expect((await client.call("get_alerts", {})).isError).toBe(false);
    const refused = await client.call("control_relay", { equipment_id: 2, channel: 1, state: true });
    expect(refused).toMatchObject({ isError: true, json: { status: 403, retryable: false } });
    await client.close();
  });

  // @proves farm.mcp-auth.bridge-service-login farm.mcp-auth.static-key
  test("the static key is served by the service login, which is renewed once when the core forgets it", async () => {
    const client = await as(KEY);
    const logins = () =>
      core.requests.filter((each) => each.url === "/api/auth/login" && each.body.includes("admin@")).length;
    await client.call("get_equipment_list", {});
    expect(logins()).toBe(1);
    core.expireSessions();
    const many = await Promise.all([1, 2, 3, 4].map(() => client.call("get_equipment_list", {})));
    expect(many.map(({ isError }) => isError)).toEqual([false, false, false, false]);
    const switched = await client.call("control_relay", { equipment_id: 2, channel: 0, state: false });
    expect(switched.json).toMatchObject({ success: true });
    expect(logins()).toBe(2);
    expect(core.requests.filter((each) => each.authorization?.includes(KEY))).toEqual([]);
    await client.close();
  });

  // @proves farm.mcp-auth.same-system farm.mcp-auth.unauthorized
  test("a session that the core has ended is refused: the call first, then the token", async () => {
    const token = await logIn(url, "operator@sensehub.example");
    const client = await as(token);
    await client.call("get_automations", {});
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${url}/api/auth/logout`, { method: "POST", headers })).status).toBe(200);
    expect(await client.call("get_automations", {})).toMatchObject({ isError: true, json: { status: 401 } });
    const refused = await open(place, token);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer/);
    expect(await refused.json()).toEqual({ error: "Unauthorized", message: expect.any(String) as unknown });
    await client.close();
  });

  // @proves farm.tool.error-device
  test("what a device does wrong is told as the device's fault", async () => {
    const client = await as(KEY);
    const turn = () => client.call("control_relay", { equipment_id: 2, channel: 1, state: true });
    core.knobs.deviceError = "Modbus exception 4";
    expect(await turn()).toMatchObject({ isError: true, json: { status: 502, retryable: true } });
    core.knobs.reset();
    core.knobs.unconfirmed = true;
    expect(await turn()).toMatchObject({ isError: true, json: { status: 502, retryable: true } });
    core.knobs.reset();
    const nowhere = await client.call("control_relay", { equipment_id: 2, channel: 99, state: true });
    expect(nowhere).toMatchObject({ isError: true, json: { status: 400 } });
    expect((nowhere.json as { message: string }).message).toContain("Its channels are 0, 1, 2.");
    await client.close();
  });

  // @proves farm.mcp.keeps-serving farm.mcp.health-degraded farm.tool.error-core-down farm.mcp.health-details
  test("a core that goes away leaves the port serving, degraded, and is found again; so it is when the hub starts first", async () => {
    for (const startFirst of [false, true]) {
      await core.stop();
      if (startFirst) await place.restart();
      const client = await as(KEY);
      expect(await client.tools()).toHaveLength(8);
      const refused = await client.call("get_equipment_list", {});
      expect(refused).toMatchObject({ isError: true, json: { status: 503, retryable: true } });
      await expect.poll(() => health(place)).toEqual({ status: 503, json: { status: "degraded" } });
      await core.start();
      await expect.poll(() => health(place), { timeout: 15_000 }).toEqual({ status: 200, json: { status: "ok" } });
      expect((await client.call("get_equipment_list", {})).isError).toBe(false);
      await expect
        .poll(async () => (await health(place, KEY)).json, { timeout: 15_000 })
        .toMatchObject({ server: "sensehub-mcp", backend_connected: true, equipment_count: 3 });
      await client.close();
    }
  });

  test("a core that talks nonsense is an error and no crash", async () => {
    const client = await as(KEY);
    core.knobs.garbage = true;
    expect(await client.call("get_equipment_list", {})).toMatchObject({ isError: true, json: { status: 502 } });
    core.knobs.reset();
    core.knobs.hangUp = true;
    expect(await client.call("get_alerts", {})).toMatchObject({ isError: true, json: { status: 503 } });
    core.knobs.reset();
    expect((await client.call("get_alerts", {})).isError).toBe(false);
    await client.close();
  });
});

describe("a hub in front of another hub's farm", () => {
  let core: FarmHub;
  let place: FarmHub;
  let user: { readonly email: string; readonly password: string };
  let board: number;
  beforeAll(async () => {
    core = await startFarmHub({ farm: { port: null } });
    user = await core.addUser("operator");
    board = await core.addEquipment(shedRelays(core.addresses));
    await core.addEquipment(soilProbe(core.addresses));
    place = await startFarmHub({ environment: { SENSEHUB_API_URL: core.hub.url } });
  });
  afterAll(async () => {
    await place.tidy();
    await core.tidy();
  });

  // @proves farm.mode.two-processes farm.mode.bridge
  test("both processes are one SenseHub to the client that exists, without any service login", async () => {
    const client = createA64Client({ core: core.hub.url, mcp: place.mcpServer, ...user });
    const contact = (): boolean => core.sim.isClosed("shed", 1, 1);
    expect(await client.mcp.controlRelay(board, 0, true)).toMatchObject({ success: true, confirmed: true });
    expect(contact()).toBe(true);
    expect(await client.mcp.controlRelay(board, 0, false)).toMatchObject({ success: true, confirmed: true });
    expect(contact()).toBe(false);
    expect(place.writes()).toEqual([]);
  });

  test("the bridge answers what the farm itself would", async () => {
    const token = await logIn(core.hub.url, user.email, user.password);
    const bridged = await connectFarm2026(`${place.mcpServer}/mcp`, token);
    const direct = await connectFarm2026(`${core.hub.mcp}/farm`, token);
    const lasting = ({ json }: { json: unknown }) =>
      (json as Record<string, unknown>[]).map(
        ({ last_reading: _r, last_communication: _c, reading_age_seconds: _a, channels: _s, ...row }) => row,
      );
    const both = async (name: string, args: object = {}) =>
      Promise.all([bridged, direct].map((client) => client.call(name, { ...args })));
    await expect.poll(async () => (await direct.call("get_equipment_list", { status: "online" })).json).toHaveLength(2);
    const [here, there] = await both("get_equipment_list");
    expect(lasting(here!)).toEqual(lasting(there!));
    const [programs, theirs] = await both("get_automations");
    expect(programs).toEqual(theirs);
    const [unknown, known] = await both("get_sensor_readings", { equipment_id: 77 });
    expect(unknown).toMatchObject({ isError: true, json: { status: 404, retryable: false } });
    expect(unknown!.json as object).toMatchObject({ code: (known!.json as { code: string }).code });
    await bridged.close();
    await direct.close();
  });

  test("what happens at the core is heard by those who subscribed at the bridge", async () => {
    const token = await logIn(core.hub.url, user.email, user.password);
    const client = await connectFarm2025(`${place.mcpServer}/mcp`, token);
    const heard = await client.subscribe("sensehub://alerts");
    const body = { severity: "critical", message: "Frost" };
    // The first look comes with the first login; what it finds is how things are.
    await expect
      .poll(async () => ((await health(place, token)).json as Record<string, unknown>)["equipment_count"], {
        timeout: 15_000,
      })
      .toBe(2);
    await core.rest("POST", "/api/alerts", { body });
    await expect.poll(() => heard.length, { timeout: 15_000 }).toBeGreaterThan(0);
    await client.close();
  });
});

test("where there is a WebSocket, our own core lets the bridge in and tells it at once", async () => {
  const place = await startFarmPlace();
  const frames: string[] = [];
  const bridge = createFarmBridge({
    url: place.core,
    clock: createRealClock(),
    log: silentLog,
    openSocket(url) {
      const socket = new WebSocket(url);
      socket.on("message", (data: Buffer) => frames.push((JSON.parse(data.toString()) as { type: string }).type));
      return socket as unknown as ReturnType<NonNullable<Parameters<typeof createFarmBridge>[0]["openSocket"]>>; // one standard
    },
  });
  const heard: string[] = [];
  bridge.resources?.[0]?.onUpdated?.((uri) => heard.push(uri));
  await bridge.authenticator.authenticate(await place.login("viewer"));
  await bridge.start(new AbortController().signal);
  // From here on the core is looked at once a minute; what comes sooner has been told.
  await expect.poll(() => frames, { timeout: 15_000 }).toContain("connected");
  await place.part.core.alerts.raise({ severity: "info", message: "Rain", source: "test" });
  await expect.poll(() => heard, { timeout: 15_000 }).toContain("sensehub://alerts");
  await bridge.stop();
  await place.close();
});
