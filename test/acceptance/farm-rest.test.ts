import { shedRelays, soilProbe } from "@steading/farm/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFarmPlace, type FarmPlace } from "../support/farm-place.ts";

let place: FarmPlace;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  place = await startFarmPlace();
  for (const role of ["viewer", "operator", "admin"] as const) tokens[role] = await place.login(role);
});
afterAll(() => place.close());

type Body = Record<string, unknown>;

async function call(method: string, path: string, { role = "operator", body }: { role?: string; body?: unknown } = {}) {
  const answer = await fetch(`${place.core}${path}`, {
    method,
    headers: {
      ...(tokens[role] === undefined ? {} : { authorization: `Bearer ${tokens[role]}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, json: (text === "" ? {} : JSON.parse(text)) as Body, headers: answer.headers };
}

async function add(input: object): Promise<number> {
  const { json } = await call("POST", "/api/equipment", { body: input });
  return Number(json["id"]);
}

describe("login", () => {
  // @proves farm.auth.login farm.auth.session farm.auth.logout farm.client-http.re-login
  test("a login gives a token that the next call accepts, and a logout ends it", async () => {
    const token = await place.login("viewer");
    const ask = () => fetch(`${place.core}/api/auth/session`, { headers: { authorization: `Bearer ${token}` } });
    const session = await ask();
    expect(session.status).toBe(200);
    expect(await session.json()).toMatchObject({ user: { email: "viewer@farm.example", role: "viewer" } });
    const out = await fetch(`${place.core}/api/auth/logout`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
    expect(out.status).toBe(200);
    expect((await ask()).status).toBe(401);
    expect((await call("POST", "/api/auth/logout", { role: "nobody" })).status).toBe(200);
    const again = await place.login("viewer");
    const retried = await fetch(`${place.core}/api/equipment`, { headers: { authorization: `Bearer ${again}` } });
    expect(retried.status).toBe(200);
  });

  // @proves farm.auth.login-missing farm.auth.login-wrong
  test("a login without a password is 400, a wrong one the same 401 whoever it is for", async () => {
    expect(
      (await call("POST", "/api/auth/login", { role: "nobody", body: { email: "viewer@farm.example" } })).status,
    ).toBe(400);
    const wrong = (email: string) =>
      call("POST", "/api/auth/login", { role: "nobody", body: { email, password: "not the one" } });
    const [known, unknown] = [await wrong("viewer@farm.example"), await wrong("stranger@farm.example")];
    expect([known.status, unknown.status]).toEqual([401, 401]);
    expect(known.json).toEqual(unknown.json);
    expect(known.json).toMatchObject({ error: "Unauthorized", message: expect.any(String) as unknown });
  });

  // @proves farm.auth.setup-status farm.auth.setup-once farm.auth.setup-quick
  test("setup is over once there is a user, and there never is a default password", async () => {
    expect((await call("GET", "/api/auth/setup-status", { role: "nobody" })).json).toEqual({
      needsSetup: false,
      userCount: 3,
      setupCompleted: true,
      hasAdmin: true,
    });
    const body = { email: "second@farm.example", password: "long enough", name: "Second" };
    expect((await call("POST", "/api/auth/setup", { role: "nobody", body })).status).toBe(400);
    expect((await call("POST", "/api/auth/setup/quick", { role: "nobody" })).status).toBe(410);
  });
});

// @proves farm.rest.error-body farm.rest.codes-auth
test("no token is 401, a role too small 403, each with a reason and a sentence", async () => {
  const nobody = await call("GET", "/api/equipment", { role: "nobody" });
  expect(nobody).toMatchObject({
    status: 401,
    json: { error: "Unauthorized", message: expect.any(String) as unknown },
  });
  expect((await call("GET", "/api/equipment", { role: "viewer" })).status).toBe(200);
  const id = await add({ name: "For rights" });
  for (const [method, path, body] of [
    ["POST", "/api/equipment", { name: "x" }],
    ["PUT", `/api/equipment/${id}`, { name: "x" }],
    ["POST", `/api/equipment/${id}/readings`, { value: 1 }],
    ["POST", `/api/equipment/${id}/relay/control`, { channel: 0, state: false }],
    ["POST", "/api/zones", { name: "x" }],
    ["POST", "/api/automations", { name: "x" }],
    ["POST", "/api/alerts", { severity: "info", message: "x" }],
  ] as const) {
    const refused = await call(method, path, { role: "viewer", body });
    expect([path, refused.status]).toEqual([path, 403]);
    expect(refused.json).toMatchObject({ error: "Forbidden", message: expect.any(String) as unknown });
  }
  expect((await call("DELETE", `/api/equipment/${id}`)).status).toBe(403);
  expect((await call("POST", `/api/equipment/${id}/calibrate`, { body: { offset: 1 } })).status).toBe(403);
  expect((await call("POST", "/api/modbus/polling/stop")).status).toBe(403);
  expect((await call("DELETE", `/api/equipment/${id}`, { role: "admin" })).status).toBe(200);
});

// @proves farm.rest.codes-input farm.rest.body-limit
test("bad input is 400, an unknown id 404, a duplicate link 409, a large body 413", async () => {
  expect((await call("POST", "/api/equipment", { body: { name: "x", protocol: "knx" } })).status).toBe(400);
  expect((await call("GET", "/api/alerts?limit=many")).status).toBe(400);
  expect((await call("GET", "/api/equipment/77777")).status).toBe(404);
  expect((await call("GET", "/api/equipment/abc")).status).toBe(400);
  expect((await call("GET", "/api/nothing")).json).toMatchObject({ error: "Not Found" });
  const id = await add({ name: "For links" });
  const zone = Number((await call("POST", "/api/zones", { body: { name: "Bed" } })).json["id"]);
  const link = () => call("POST", `/api/zones/${zone}/equipment`, { body: { equipment_id: id } });
  expect([(await link()).status, (await link()).status]).toEqual([201, 409]);
  expect((await call("POST", "/api/zones", { body: { name: "x".repeat(150_000) } })).status).toBe(413);
});

// @proves farm.model.wire-types farm.model.shape-parsed farm.equipment-api.create farm.equipment-api.get farm.equipment-api.update farm.equipment-api.list
// @proves farm.client-http.zone-text
test("rows have the reference's types, and real ones when asked", async () => {
  const mappings = [{ name: "moisture", register: "0", type: "input" }];
  const made = await call("POST", "/api/equipment", {
    body: { name: "A probe", register_mappings: JSON.stringify(mappings) },
  });
  expect(made.status).toBe(201);
  expect(made.json).toMatchObject({ name: "A probe", enabled: 1, write_only: 0, zone: "", status: "offline" });
  expect(JSON.parse(String(made.json["register_mappings"]))).toEqual([{ ...mappings[0], register: 0 }]);
  const id = Number(made.json["id"]);
  const parsed = await call("GET", `/api/equipment/${id}?shape=parsed`);
  expect(parsed.json).toMatchObject({ enabled: true, register_mappings: [{ name: "moisture" }], zones: [] });
  const changed = await call("PUT", `/api/equipment/${id}`, { body: { description: "north", enabled: false } });
  expect(changed.json).toMatchObject({ name: "A probe", description: "north", enabled: 0 });
  expect((await call("GET", "/api/equipment?search=NORTH")).text).toContain("A probe");
  const names = ((await call("GET", "/api/equipment")).json as unknown as Body[]).map(({ name }) => String(name));
  expect(names).toEqual(names.toSorted());
});

// @proves farm.equipment-api.post-reading farm.equipment-api.post-reading-effects farm.equipment-api.post-batch farm.equipment-api.history
// @proves farm.equipment-api.history-stats farm.equipment-api.history-data farm.equipment-api.history-limits farm.equipment-api.chart-csv
// @proves farm.reading.finite
test("a posted reading is kept, shown and charted", async () => {
  const id = await add({
    name: "Hand meter",
    protocol: "other",
    register_mappings: [{ name: "ph", register: 0, alarmHigh: 8 }],
  });
  const posted = await call("POST", `/api/equipment/${id}/readings`, {
    body: { name: "ph", value: 9.12345, unit: "pH" },
  });
  expect(posted.status).toBe(201);
  expect(posted.json).toMatchObject({
    equipment_id: id,
    equipment_name: "Hand meter",
    equipment_status: "online",
    unit: "pH",
  });
  for (const value of ["hot", null]) {
    expect((await call("POST", `/api/equipment/${id}/readings`, { body: { name: "ph", value } })).status).toBe(400);
  }
  const now = Date.now();
  const batch = Array.from({ length: 40 }, (_, i) => ({
    name: "ph",
    value: i,
    timestamp: new Date(now - 60_000 + i * 1_000).toISOString(),
  }));
  expect((await call("POST", `/api/equipment/${id}/readings`, { body: { readings: batch } })).status).toBe(201);
  const many = Array.from({ length: 1_001 }, () => ({ value: 1 }));
  expect((await call("POST", `/api/equipment/${id}/readings`, { body: { readings: many } })).status).toBe(400);
  const history = await call("GET", `/api/equipment/${id}/history`);
  expect(history.json).toMatchObject({ total: 41, limit: 25, offset: 0 });
  expect(history.json["data"]).toEqual(history.json["readings"]);
  const rows = history.json["readings"] as Body[];
  expect(rows[0]).toMatchObject({ name: "ph", value: 9.123 });
  expect(rows.slice(1, 4).map(({ value }) => value)).toEqual([39, 38, 37]);
  expect((history.json["stats"] as Body)["ph"]).toMatchObject({ min: 0, max: 39, count: 41 });
  const capped = await call("GET", `/api/equipment/${id}/history?limit=5000&offset=40`);
  expect(capped.json).toMatchObject({ limit: 1_000, offset: 40 });
  expect(capped.json["readings"]).toHaveLength(1);
  expect((await call("GET", "/api/equipment/77777/history")).status).toBe(404);
  const alerts = (await call("GET", `/api/alerts?equipment_id=${id}`)).json as unknown as Body[];
  expect(alerts).toMatchObject([{ severity: "warning", equipment_name: "Hand meter", acknowledged: 0 }]);
  expect((await call("GET", `/api/equipment/${id}/history/chart`)).status).toBe(400);
  const from = encodeURIComponent(new Date(now - 30 * 60_000).toISOString());
  const chart = (await call("GET", `/api/equipment/${id}/history/chart?from=${from}`)).json as unknown as Body[];
  expect(chart).toHaveLength(41);
  const csv = await fetch(`${place.core}/api/equipment/${id}/history/chart?from=${from}&format=csv`, {
    headers: { authorization: `Bearer ${tokens["viewer"]}` },
  });
  expect(csv.headers.get("content-type")).toContain("text/csv");
  expect((await csv.text()).split("\r\n")[0]).toBe("timestamp,name,unit,avg_value,min_value,max_value,count");
});

// @proves farm.alert-api.list farm.alert-api.count farm.alert-api.acknowledge farm.alert.second-acknowledge farm.client-http.acknowledged-text
test("alerts are raised, listed, counted and acknowledged once", async () => {
  const raised = await call("POST", "/api/alerts", { body: { severity: "critical", message: "Tank empty" } });
  expect(raised.status).toBe(201);
  expect((await call("POST", "/api/alerts", { body: { severity: "fatal", message: "x" } })).status).toBe(400);
  const count = async () => Number((await call("GET", "/api/alerts/unacknowledged/count")).json["count"]);
  const before = await count();
  const acknowledged = await call("POST", `/api/alerts/${Number(raised.json["id"])}/acknowledge`);
  expect(acknowledged.json).toMatchObject({ acknowledged: 1, acknowledged_by_name: expect.any(String) as unknown });
  expect(await count()).toBe(before - 1);
  expect((await call("POST", `/api/alerts/${Number(raised.json["id"])}/acknowledge`)).status).toBe(400);
  expect((await call("POST", "/api/alerts/77777/acknowledge")).status).toBe(404);
  const texts = async (query: string) =>
    ((await call("GET", `/api/alerts?${query}`)).json as unknown as Body[]).map(({ message }) => message);
  expect(await texts("acknowledged=true")).toContain("Tank empty");
  expect(await texts("acknowledged=false")).not.toContain("Tank empty");
});

// @proves farm.zone-api.list farm.zone-api.get farm.zone-api.write farm.zone-api.link farm.zone-api.unlink farm.equipment-api.zone-filter
test("zones hold equipment, and a child's equipment counts for its parent", async () => {
  const parent = Number((await call("POST", "/api/zones", { body: { name: "House" } })).json["id"]);
  const made = await call("POST", "/api/zones", { body: { name: "Room", parent_id: parent } });
  expect(made.status).toBe(201);
  const child = Number(made.json["id"]);
  const id = await add({ name: "In the room" });
  expect((await call("POST", `/api/zones/${child}/equipment`, { body: { equipment_id: id } })).status).toBe(201);
  expect((await call("POST", `/api/zones/${child}/equipment`, { body: { equipment_id: 77_777 } })).status).toBe(404);
  expect((await call("GET", "/api/equipment?zone=HOUSE")).text).toContain("In the room");
  expect((await call("GET", `/api/zones/${parent}`)).json).toMatchObject({
    children: [{ id: child, equipment_count: 1 }],
  });
  expect((await call("GET", `/api/zones/${child}`)).json).toMatchObject({ equipment: [{ id, zone: "Room" }] });
  expect((await call("PUT", `/api/zones/${parent}`, { body: { parent_id: child } })).status).toBe(400);
  expect((await call("DELETE", `/api/zones/${child}/equipment/${id}`)).status).toBe(200);
  expect((await call("DELETE", `/api/zones/${child}/equipment/${id}`)).status).toBe(404);
  expect((await call("DELETE", `/api/zones/${parent}`)).status).toBe(403);
  expect((await call("DELETE", `/api/zones/${parent}`, { role: "admin" })).status).toBe(200);
  expect((await call("GET", `/api/zones/${child}`)).json).toMatchObject({ parent_id: null });
});

// @proves farm.equipment-api.relay-state farm.equipment-api.relay-state-ours farm.equipment-api.relay-all farm.equipment-api.relay-all-states farm.client-http.relay-all-states
// @proves farm.equipment-api.test-connection farm.equipment-api.control
test("relays are switched one by one and all together, and the coils follow", async () => {
  const id = await add(shedRelays(place.addresses));
  const on = await call("POST", `/api/equipment/${id}/relay/control`, { body: { channel: 1, state: true } });
  expect(on).toMatchObject({
    status: 200,
    json: { success: true, channel: 1, state: true, writeOnly: false, confirmed: true },
  });
  expect(place.sim.isClosed("shed", 1, 2)).toBe(true);
  for (const body of [
    { channel: "abc", state: true },
    { channel: 1, state: "false" },
    { channel: 65_536, state: true },
  ]) {
    expect((await call("POST", `/api/equipment/${id}/relay/control`, { body })).status).toBe(400);
  }
  const state = await call("GET", `/api/equipment/${id}/relay/state`);
  expect((state.json["channels"] as Body[])[1]).toMatchObject({
    name: "valve-north",
    address: 1,
    state: true,
    confirmed: true,
    age_seconds: expect.any(Number) as unknown,
    auto_off_at: null,
    hold_until: null,
  });
  const states = [true, false, false, true, false, false, false, false];
  expect((await call("POST", `/api/equipment/${id}/relay/all`, { body: { states } })).json).toMatchObject({
    success: true,
    channels: 8,
  });
  expect(states.map((_, i) => place.sim.isClosed("shed", 1, i + 1))).toEqual(states);
  expect((await call("POST", `/api/equipment/${id}/relay/all`, { body: { states: [true] } })).status).toBe(400);
  expect((await call("POST", `/api/equipment/${id}/relay/all`, { body: { state: false } })).json).toMatchObject({
    confirmed: true,
  });
  expect(place.sim.isClosed("shed", 1, 1)).toBe(false);
  expect((await call("POST", `/api/equipment/${id}/control`, { body: { action: "on" } })).status).toBe(422);
  expect(
    (await call("POST", `/api/equipment/${id}/control`, { body: { action: "toggle", channel: 4 } })).json,
  ).toMatchObject({ state: true });
  const probe = await add(soilProbe(place.addresses, 3));
  expect((await call("POST", `/api/equipment/${probe}/test-connection`)).json).toMatchObject({
    success: true,
    protocol: "modbus",
  });
  place.sim.unit("shed", 3, { dead: true });
  expect((await call("POST", `/api/equipment/${probe}/test-connection`)).json).toMatchObject({ success: false });
  place.sim.unit("shed", 1, { stuck: [6] });
  expect((await call("POST", `/api/equipment/${id}/relay/control`, { body: { channel: 5, state: true } })).status).toBe(
    502,
  );
  place.sim.unit("shed", 1, { dead: true });
  expect((await call("POST", `/api/equipment/${id}/relay/control`, { body: { channel: 6, state: true } })).status).toBe(
    504,
  );
  place.sim.reset();
});

// @proves farm.automation-api.list farm.automation-api.get farm.automation-api.update-delete farm.automation-api.toggle farm.automation-api.trigger farm.automation-api.duplicate farm.automation.list-order
test("automations are kept, changed, switched, run, copied and deleted", async () => {
  const made = await call("POST", "/api/automations", {
    body: {
      name: "Alarm",
      trigger_config: { type: "manual" },
      actions: [{ type: "alert", severity: "info", message: "It ran" }],
    },
  });
  expect(made.status).toBe(201);
  expect(JSON.parse(String(made.json["actions"]))).toEqual([{ type: "alert", severity: "info", message: "It ran" }]);
  const id = Number(made.json["id"]);
  expect((await call("POST", "/api/automations", { body: { name: "x", actions: [{ type: "explode" }] } })).status).toBe(
    400,
  );
  expect((await call("POST", `/api/automations/${id}/toggle`)).json).toMatchObject({ enabled: false });
  expect((await call("POST", `/api/automations/${id}/toggle`, { body: { enabled: false } })).json).toMatchObject({
    enabled: false,
  });
  const run = await call("POST", `/api/automations/${id}/trigger`);
  expect(run.json).toMatchObject({ success: true, automation_id: id, automation_name: "Alarm", run_count: 1 });
  expect((await call("GET", `/api/automations/${id}`)).json["logs"]).toMatchObject([{ status: "success" }]);
  expect((await call("POST", `/api/automations/${id}/duplicate`)).json).toMatchObject({
    automation: { name: "Alarm (Copy)", enabled: 0 },
  });
  expect((await call("POST", `/api/automations/${id}/duplicate`)).json).toMatchObject({
    automation: { name: "Alarm (Copy 2)" },
  });
  expect((await call("PUT", `/api/automations/${id}`, { body: { priority: -5 } })).json).toMatchObject({
    priority: -5,
    name: "Alarm",
  });
  const list = (await call("GET", "/api/automations")).json as unknown as Body[];
  expect(list[0]).toMatchObject({ id });
  expect((await call("DELETE", `/api/automations/${id}`)).status).toBe(200);
  expect((await call("GET", `/api/automations/${id}`)).status).toBe(404);
});

// @proves farm.system.health farm.dashboard.chart-off
test("health needs no token; info and overview tell what there is", async () => {
  const health = await call("GET", "/api/health", { role: "nobody" });
  expect(health).toMatchObject({ status: 200, json: { status: "ok", database: "connected", version: "9.9.9" } });
  expect((await call("GET", "/api/system/info")).json).toMatchObject({
    version: "9.9.9",
    health: { status: "ok" },
    armed: true,
  });
  const overview = await call("GET", "/api/dashboard/overview?chart=0");
  expect(overview.json).toMatchObject({
    equipment: { total: expect.any(Number) as unknown },
    zones: {},
    automations: {},
    alerts: {},
    recentAlerts: expect.any(Array) as unknown,
    latestReadings: expect.any(Array) as unknown,
    chartReadings: [],
    latestLabReadings: [],
  });
});

test("the description names every call that was made here", async () => {
  const description = (await call("GET", "/openapi.json", { role: "nobody" })).json;
  expect(description).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) as unknown });
  const paths = Object.keys(description["paths"] as object);
  for (const path of ["/api/equipment/{id}/relay/control", "/api/auth/login", "/api/alerts/{id}/acknowledge"]) {
    expect(paths).toContain(path);
  }
});
