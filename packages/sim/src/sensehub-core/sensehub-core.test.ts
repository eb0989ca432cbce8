import { afterEach, beforeEach, expect, test } from "vitest";
import { createSenseHubCore, type SenseHubCore } from "./sensehub-core.ts";

let core: SenseHubCore;
let url: string;
beforeEach(async () => {
  core = createSenseHubCore();
  url = await core.start();
});
afterEach(() => core.stop());

interface Answer<T> {
  readonly status: number;
  readonly body: T;
}
interface Row {
  readonly [column: string]: unknown;
}

async function ask<T = unknown>(
  method: string,
  path: string,
  { token = "", json }: { readonly token?: string; readonly json?: unknown } = {},
): Promise<Answer<T>> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(token !== "" && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { "content-type": "application/json" }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  return { status: answer.status, body: (await answer.json()) as T }; // each test says what it expects
}

async function login(role: string): Promise<string> {
  const json = { email: `${role}@sensehub.example`, password: "hoe by the door" };
  return (await ask<{ token: string }>("POST", "/api/auth/login", { json })).body.token;
}

test("a token opens what its role may do, until its session ends", async () => {
  const token = await login("viewer");
  const [, payload = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as { iat: number; exp: number };
  expect(Object.keys(claims)).toEqual(["userId", "jti", "iat", "exp"]);
  expect(claims.exp - claims.iat).toBe(28_800);
  expect(await ask("GET", "/api/auth/session", { token })).toMatchObject({
    status: 200,
    body: { user: { id: 3, role: "viewer" } },
  });
  expect((await ask("POST", "/api/automations/1/toggle", { token })).status).toBe(403);
  core.expireSessions();
  expect(await ask("GET", "/api/equipment", { token })).toMatchObject({
    status: 401,
    body: { error: "Unauthorized" },
  });
});

test("rows have numbers for booleans, text for JSON, and no zone", async () => {
  const { body } = await ask<Row[]>("GET", "/api/equipment?zone=Nowhere", { token: await login("viewer") });
  expect(body).toHaveLength(3);
  for (const row of body) {
    expect([0, 1]).toContain(row["enabled"]);
    expect(typeof row["register_mappings"]).toBe("string");
    expect(row).not.toHaveProperty("zone");
  }
});

test("history has readings but no data, and compares times as text", async () => {
  const token = await login("viewer");
  const { body } = await ask<{ readings: Row[]; stats: Row }>("GET", "/api/equipment/1/history?limit=4", { token });
  expect(Object.keys(body)).toEqual(["readings", "total", "stats", "limit", "offset"]);
  expect(body.readings).toHaveLength(4);
  expect(body.stats["temperature"]).toMatchObject({ unit: "C", count: 30 });
  const forms = core.site.readings.map(({ timestamp }) => timestamp.includes("T"));
  expect(new Set(forms)).toEqual(new Set([true, false]));
  expect((await ask("GET", "/api/equipment/1/history?limit=many", { token })).status).toBe(500);
  expect((await ask("GET", "/api/equipment/99/history", { token })).body).toMatchObject({ readings: [], total: 0 });
});

test("relays do what nobody meant", async () => {
  const token = await login("operator");
  const control = (json: unknown) => ask("POST", "/api/equipment/2/relay/control", { token, json });
  expect((await control({ channel: 1, state: "false" })).body).toEqual({
    success: true,
    channel: 1,
    state: true,
    writeOnly: false,
    confirmed: true,
  });
  expect((await control({ channel: "abc", state: true })).status).toBe(200);
  expect((await control({ channel: 1 })).body).toEqual({ error: "channel and state are required" });
  expect(JSON.parse(core.site.equipment[1]?.last_reading ?? "")).toMatchObject({
    relayStates: { "0": true, "1": true },
  });
  core.knobs.deviceError = "Timed out";
  expect(await control({ channel: 1, state: true })).toEqual({ status: 500, body: { error: "Timed out" } });
  expect((await ask("POST", "/api/equipment/2/relay/all", { token, json: { states: [true] } })).status).toBe(400);
});

test("automations run and toggle whatever their state, and every run is a success", async () => {
  const token = await login("operator");
  core.knobs.deviceError = "Timed out";
  const { body } = await ask("POST", "/api/automations/2/trigger", { token });
  expect(body).toMatchObject({ success: true, run_count: 1, executed_actions: [{ status: "error" }, {}] });
  expect((await ask("POST", "/api/automations/2/toggle", { token, json: { enabled: false } })).body).toEqual({
    enabled: true,
  });
});

test("alerts are filtered by the two texts only, and acknowledged once", async () => {
  const token = await login("operator");
  const ids = async (query: string) =>
    (await ask<Row[]>("GET", `/api/alerts${query}`, { token })).body.map((row) => row["id"]);
  expect(await ids("?acknowledged=true")).toEqual([2]);
  expect(await ids("?acknowledged=1")).toEqual([2, 1]);
  expect((await ask("POST", "/api/alerts/1/acknowledge", { token })).body).toMatchObject({
    acknowledged: 1,
    acknowledged_by_name: "operator",
    equipment_name: "Greenhouse Temp/Humidity",
  });
  expect((await ask("POST", "/api/alerts/1/acknowledge", { token })).status).toBe(400);
});

test("its knobs drop, garble and fail, and every call is counted", async () => {
  core.knobs.failWith = 503;
  expect((await ask("GET", "/api/health")).status).toBe(503);
  core.knobs.reset();
  core.knobs.garbage = true;
  await expect(ask("GET", "/api/health")).rejects.toThrow(SyntaxError);
  core.knobs.reset();
  core.knobs.down = true;
  await expect(ask("GET", "/api/health")).rejects.toThrow("fetch failed");
  core.knobs.reset();
  core.knobs.slow = 1;
  expect((await ask("GET", "/api/health")).body).toMatchObject({ status: "ok", database: "connected" });
  expect(core.counts).toEqual({ "GET /api/health": 4 });
  expect(core.requests.map(({ status }) => status)).toEqual([503, 200, undefined, 200]);
});

test("a core that was stopped comes back at the same address with what it knew", async () => {
  const token = await login("viewer");
  await core.stop();
  await expect(fetch(`${url}/api/health`)).rejects.toThrow("fetch failed");
  expect(await core.start()).toBe(url);
  expect((await ask("GET", "/api/equipment", { token })).status).toBe(200);
});
