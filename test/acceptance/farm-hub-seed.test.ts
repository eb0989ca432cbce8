import { request } from "node:http";
import { shedRelays, soilProbe } from "@steading/farm/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectFarm2025, connectFarm2026, connectFarmSse, type FarmClient } from "../support/farm-clients.ts";
import { startFarmHub, type FarmHub } from "../support/farm-hub.ts";

let place: FarmHub;
let user: { readonly email: string; readonly password: string };
let board: number;
let probe: number;

beforeAll(async () => {
  place = await startFarmHub();
  user = await place.addUser("operator");
  board = await place.addEquipment(shedRelays(place.addresses));
  probe = await place.addEquipment(soilProbe(place.addresses));
});
afterAll(() => place.tidy());

const mcp = (): string => `${place.mcpServer}/mcp`;

// @proves farm.mcp.health-body farm.acceptance.health steading.ready-file.farm farm.mode.embedded steading.address.farm-port-3001
test("step 1: GET /health of the MCP port is exactly ok, to the byte", async () => {
  const { status, text, type } = await plainGet(`${place.mcpServer}/health`);
  expect([status, type]).toEqual([200, "application/json"]);
  expect(text).toBe('{"status":"ok"}');
  expect(await plainGet(`${place.mcpServer}/health`, "no such token")).toMatchObject({ text: '{"status":"ok"}' });
});

// @proves farm.mcp.health-details
test("with a login, /health tells what SenseHub's own told", async () => {
  const { status, text } = await plainGet(`${place.mcpServer}/health`, await place.logIn(user));
  expect(status).toBe(200);
  expect(JSON.parse(text)).toEqual({
    status: "ok",
    server: "sensehub-mcp",
    version: "1.0.0",
    equipment_count: 2,
    backend_connected: true,
  });
});

const WAYS = {
  "Streamable HTTP with a 2025 client": connectFarm2025,
  "Streamable HTTP with a 2026 client": connectFarm2026,
  "legacy SSE": connectFarmSse,
} as const;

// @proves farm.mcp-auth.bearer steading.address.farm-port-both-transports steading.address.farm-port-jwt
describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])("over %s", (way) => {
  let client: FarmClient;
  afterAll(() => client.close());

  test("a token that died is refused with 401; after a login on the main port the client is in", async () => {
    const connect = WAYS[way];
    await expect(connect(mcp(), place.expiredToken(2))).rejects.toThrow(/401|Unauthorized/i);
    client = await connect(mcp(), await place.logIn(user));
    expect(client.serverInfo?.name).toBe("sensehub");
  });

  // @proves steading.address.farm-port-exactly-eight farm.mcp.server-info farm.resource.three farm.acceptance.tools-sse farm.acceptance.tools-http
  test("step 2: exactly eight tools are registered, three resources, and the server is sensehub", async () => {
    expect(client.serverInfo).toMatchObject({ name: "sensehub", version: "1.0.0" });
    expect((await client.tools()).map(({ name }) => name).toSorted()).toEqual([
      "control_relay",
      "get_alerts",
      "get_automations",
      "get_equipment_list",
      "get_sensor_readings",
      "get_system_status",
      "toggle_automation",
      "trigger_automation",
    ]);
    expect((await client.resources()).map(({ uri }) => uri).toSorted()).toEqual([
      "sensehub://alerts",
      "sensehub://automations",
      "sensehub://equipment",
    ]);
  });

  // @proves farm.acceptance.read-tool
  test("step 3: get_equipment_list gives the equipment, and what its sensors said", async () => {
    const moisture = place.sim.state.moistureNorth;
    await expect
      .poll(async () => (await client.call("get_equipment_list", {})).json)
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({ id: board, name: "Shed relays", type: "relay", status: "online" }),
          expect.objectContaining({ id: probe, name: "Soil probe 2", type: "sensor", status: "online" }),
        ]),
      );
    const { json } = await client.call("get_sensor_readings", { equipment_id: probe, metric: "moisture" });
    const { readings } = json as { readings: readonly { value: number }[] };
    expect(readings[0]?.value).toBeCloseTo(moisture, 0);
  });

  // @proves farm.acceptance.write-tool
  test("step 4: control_relay moves the contact, the wire says so, and so does the read-back", async () => {
    for (const state of [true, false]) {
      const before = place.writes().length;
      const { isError, json } = await client.call("control_relay", { equipment_id: board, channel: 2, state });
      expect([isError, json]).toEqual([
        false,
        expect.objectContaining({ success: true, channel: 2, state, confirmed: true }),
      ]);
      expect(place.sim.isClosed("shed", 1, 3)).toBe(state);
      // FC 05, coil 2, FF00 or 0000: once, as the board itself counted it.
      expect(
        place
          .writes()
          .slice(before)
          .map(({ unit, request: pdu }) => [unit, pdu]),
      ).toEqual([[1, `050002${state ? "ff00" : "0000"}`]]);
      const { json: rows } = await client.call("get_equipment_list", {});
      const row = (rows as readonly { id: number; channels: object[] }[]).find(({ id }) => id === board);
      expect(row?.channels).toEqual(expect.arrayContaining([expect.objectContaining({ channel: 2, state })]));
    }
  });

  // @proves farm.acceptance.resource
  test("step 5: sensehub://equipment is a JSON list of the equipment", async () => {
    const { mimeType, json } = await client.read("sensehub://equipment");
    expect(mimeType).toBe("application/json");
    expect((json as readonly { id: number }[]).map(({ id }) => id)).toEqual(expect.arrayContaining([board, probe]));
  });

  // @proves farm.subscription.subscribe farm.subscription.both-streams farm.acceptance.subscription
  test("step 6: a subscriber of sensehub://alerts is told when one is raised", async () => {
    const heard = await client.subscribe("sensehub://alerts");
    const message = `Tank empty, as ${way} heard`;
    const raised = await place.rest("POST", "/api/alerts", { body: { severity: "critical", message } });
    expect(raised.status).toBe(201);
    const { id } = raised.json as { id: number };
    await expect
      .poll(() => heard)
      .toContainEqual({
        uri: "sensehub://alerts",
        meta: expect.objectContaining({ reason: expect.any(String) as unknown, alert_id: id }) as unknown,
      });
    const { json } = await client.read("sensehub://alerts");
    expect(json).toEqual(expect.arrayContaining([expect.objectContaining({ id, message, severity: "critical" })]));
  });
});

// @proves farm.mcp.legacy-get farm.mcp.legacy-post farm.mcp-auth.sse-post-without-header
test("the old transport's first event names /mcp, and messages there need no header of their own", async () => {
  const headers = { authorization: `Bearer ${await place.logIn(user)}`, accept: "text/event-stream" };
  const stop = new AbortController();
  const stream = await fetch(mcp(), { headers, signal: stop.signal });
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader() ?? expect.fail("a stream has a body");
  let text = "";
  const until = async (end: string): Promise<string> => {
    while (!text.includes(end)) text += (await reader.read()).value ?? expect.fail(`the stream ended after ${text}`);
    return text;
  };
  const endpoint = /^event: endpoint\ndata: (\/mcp\?sessionId=[\w-]+)\n\n/.exec(await until("\n\n"))?.[1];
  const sent = await fetch(`${place.mcpServer}${endpoint}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":7,"method":"ping"}',
  });
  expect(sent.status).toBe(202);
  expect(await until('"id":7')).toContain("event: message\ndata: {");
  stop.abort();
});

// @proves farm.mcp.plain-json farm.mcp.initialize farm.mcp.delete farm.mcp.unknown-session
test("Streamable HTTP answers in plain JSON, ends a session with 200 and does not know it afterwards", async () => {
  const headers = {
    authorization: `Bearer ${await place.logIn(user)}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = (body: object, session?: string): Promise<Response> =>
    fetch(mcp(), {
      method: "POST",
      headers: { ...headers, ...(session === undefined ? {} : { "mcp-session-id": session }) },
      body: JSON.stringify({ jsonrpc: "2.0", ...body }),
    });
  const clientInfo = { name: "a64", version: "1" };
  const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo };
  const opened = await post({ id: 1, method: "initialize", params });
  expect([opened.status, opened.headers.get("content-type")]).toEqual([200, "application/json"]);
  const session = opened.headers.get("mcp-session-id") ?? expect.fail("a session has an id");
  expect(await opened.json()).toMatchObject({ result: { protocolVersion: "2024-11-05" } });
  expect((await post({ method: "notifications/initialized" }, session)).status).toBe(202);
  const called = await post({ id: 2, method: "tools/call", params: { name: "get_alerts", arguments: {} } }, session);
  expect([called.status, called.headers.get("content-type")]).toEqual([200, "application/json"]);
  await called.text();
  const ended = await fetch(mcp(), { method: "DELETE", headers: { ...headers, "mcp-session-id": session } });
  expect(ended.status).toBe(200);
  expect((await post({ id: 3, method: "ping" }, session)).status).toBe(404);
});

// @proves farm.mcp-auth.unauthorized farm.mcp-auth.same-system
test.each([
  ["no token", undefined],
  ["no bearer at all", "Basic YTpi"],
  ["a malformed token", "Bearer a b"],
  ["an unknown token", "Bearer 7f6b1c"],
  ["an expired login", "expired"],
  ["a login that was ended on the other port", "ended"],
])("%s is 401 in SenseHub's words, and a login helps", async (_what, given) => {
  const authorization =
    given === "expired"
      ? `Bearer ${place.expiredToken(2)}`
      : given === "ended"
        ? `Bearer ${await endedLogin()}`
        : given;
  for (const method of ["GET", "POST"]) {
    const answer = await fetch(mcp(), {
      method,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(authorization === undefined ? {} : { authorization }),
      },
      ...(method === "POST" ? { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' } : {}),
    });
    expect([method, answer.status]).toEqual([method, 401]);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
    expect(await answer.json()).toEqual({ error: "Unauthorized", message: expect.any(String) as unknown });
  }
});

async function endedLogin(): Promise<string> {
  const token = await place.logIn(user);
  expect(await place.rest("POST", "/api/auth/logout", { token })).toMatchObject({ status: 200 });
  return token;
}

/** With no more headers than curl sends. */
function plainGet(url: string, token?: string): Promise<{ status: number; type: string; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "user-agent": "curl/8.5.0", accept: "*/*", ...(token && { authorization: `Bearer ${token}` }) };
    const sent = request(url, { headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, type: String(answer.headers["content-type"]), text }),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}
