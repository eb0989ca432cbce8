import { createManualClock, hours, seconds } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMemoryDial } from "../testing/memory-wire.ts";
import { createTrialApi, type TrialApi } from "../testing/trial-api.ts";
import { createTrialFarm, type TrialFarm } from "../testing/trial-farm.ts";

const clock = createManualClock();
let farm: TrialFarm;
let api: TrialApi;
beforeEach(async () => {
  farm = createTrialFarm({ clock });
  await farm.start();
  api = createTrialApi(farm, { databasePath: "/var/lib/farm/state.db" });
});
afterEach(() => farm.stop());

const admin = { role: "admin" } as const;

// @proves farm.system.info farm.system.info-path
test("the hub tells about itself, and only admins hear where the data is", async () => {
  const { json } = await api.call("GET", "/api/system/info", { role: "viewer" });
  expect(Object.keys(json).toSorted()).toEqual(
    ["version", "buildDate", "releaseType", "codename", "node_version", "platform", "arch", "hostname", "uptime"]
      .concat(["startedAt", "memory", "cpus", "database", "cpu", "connectivity", "armed", "health"])
      .toSorted(),
  );
  expect(Object.keys(json["memory"] as object)).toEqual(["total", "free", "used"]);
  expect(json["database"]).toEqual({ connected: true });
  expect((await api.call("GET", "/api/system/info")).json["database"]).toEqual({ connected: true });
  const told = (await api.call("GET", "/api/system/info", admin)).json;
  expect(told["database"]).toEqual({ connected: true, path: "/var/lib/farm/state.db" });
});

// @proves farm.system.admin-pages farm.system.schema
test("services, logs, counts and schema are for admins", async () => {
  for (const page of ["services", "logs", "data-counts", "schema"]) {
    expect((await api.call("GET", `/api/system/${page}`)).status).toBe(403);
    expect((await api.call("GET", `/api/system/${page}`, admin)).status).toBe(200);
  }
  const services = (await api.call("GET", "/api/system/services", admin)).json;
  expect(services).toContainEqual(expect.objectContaining({ name: "polling", status: "running" }));
  const { json } = await api.call("GET", "/api/system/schema", admin);
  const columns = expect.arrayContaining(["parent_id"]) as unknown;
  expect(json["tables"]).toContainEqual({ name: "zones", columns });
});

test("the log's page has the newest lines first, by level, and never what was thrown", async () => {
  api.logs.log.info("Began.");
  api.logs.log.error("It failed.", new Error("token=hunter2"), { equipment: 3 });
  const { json } = await api.call("GET", "/api/system/logs?limit=1", admin);
  expect(json).toMatchObject({ total: 2, limit: 1, offset: 0, logs: [{ level: "error", message: "It failed." }] });
  expect(JSON.stringify(json)).not.toContain("hunter2");
  expect((await api.call("GET", "/api/system/logs?level=info", admin)).json["logs"]).toMatchObject([
    { message: "Began." },
  ]);
  for (let i = 0; i < 1_100; i += 1) api.logs.log.warn("Again.");
  expect((await api.call("GET", "/api/system/logs?level=warn&limit=5000", admin)).json).toMatchObject({
    total: 1_000,
    limit: 1_000,
  });
});

// @proves farm.system.clear
test("what was kept is cleared target by target, also only what is old; other targets are refused", async () => {
  const raise = (message: string) => api.call("POST", "/api/alerts", { body: { severity: "info", message } });
  await raise("old");
  await clock.advance(hours(1));
  const before = encodeURIComponent(new Date(clock.now()).toISOString());
  await raise("recent");
  expect((await api.call("DELETE", `/api/system/clear/alerts?before=${before}`)).status).toBe(403);
  expect((await api.call("DELETE", `/api/system/clear/alerts?before=${before}`, admin)).json).toMatchObject({
    target: "alerts",
    deleted: 1,
  });
  expect((await api.call("GET", "/api/alerts")).json).toMatchObject([{ message: "recent" }]);
  const clear = (target: string) => api.call("DELETE", `/api/system/clear/${target}`, admin);
  expect((await clear("alerts")).json).toMatchObject({ deleted: 1 });
  for (const target of ["automation-logs", "equipment-errors", "relay-events", "watchdog-events"]) {
    expect((await clear(target)).status).toBe(200);
  }
  // There, but with nothing behind it: told, not pretended.
  for (const target of ["readings", "lab-readings", "sync-queue", "watchdog-cooldowns"]) {
    expect((await clear(target)).json).toMatchObject({ code: "NOT_AVAILABLE", error: "Not Implemented" });
  }
  expect((await clear("users")).status).toBe(400);
});

// @proves farm.system.connectivity
test("a gateway that hangs up is told as down, and its coming and going is history", async () => {
  const net = createMemoryDial({
    onWrite: (bytes, far) => far.send(Buffer.concat([bytes.subarray(0, 4), Buffer.of(0, 5, 1, 3, 2, 0, 7)])),
  });
  const place = createTrialFarm({ clock, dial: () => net.dial });
  await place.start();
  const pages = createTrialApi(place);
  const frames: unknown[] = [];
  place.core.events.on((event) => void (event.kind === "connectivity" && frames.push(event.data)));
  const register_mappings = [{ name: "level", register: 0, type: "holding" }];
  await pages.call("POST", "/api/equipment", { body: { name: "Tank", address: "10.0.0.5", register_mappings } });
  await clock.advance(seconds(15));
  const look = async () => (await pages.call("GET", "/api/system/connectivity", { role: "viewer" })).json;
  const unknown = { status: "unknown", downSince: null };
  expect(await look()).toMatchObject({
    current: {
      internet: unknown,
      go2rtc: unknown,
      mcp: { status: "up", downSince: null },
      pendingNotifications: 0,
      gateways: { "tcp://10.0.0.5:502": { status: "up" } },
    },
    history: [],
  });
  for (let i = 0; i < 120; i += 1) {
    net.refuse = true;
    for (const end of net.ends) end.hangUp();
    await clock.advance(seconds(20));
    if (i === 0) {
      expect(await look()).toMatchObject({
        current: { gateways: { "tcp://10.0.0.5:502": { status: "down", downSince: expect.any(String) as unknown } } },
      });
    }
    net.refuse = false;
    await clock.advance(seconds(60));
  }
  const { history } = await look();
  expect(history).toHaveLength(200);
  expect(frames.length).toBeGreaterThan(200);
  await place.stop();
});

// @proves farm.system.watchdog-history farm.watchdog-event.types
test("what goes away and comes back is written down with how long it was gone", async () => {
  const made = await api.call("POST", "/api/equipment", { body: { name: "Hand meter", protocol: "other" } });
  const id = made.id;
  const post = () => api.call("POST", `/api/equipment/${id}/readings`, { body: { value: 1 } });
  await post();
  await clock.advance(seconds(90));
  await post();
  await clock.advance(seconds(2));
  const page = await api.call("GET", "/api/system/watchdog-history", { role: "viewer" });
  expect(page.json).toMatchObject({
    total: 3,
    limit: 50,
    offset: 0,
    events: [
      {
        event_type: "equipment",
        target: `equipment:${id}`,
        status: "up",
        duration_seconds: expect.any(Number) as unknown,
      },
      { event_type: "equipment", target: `equipment:${id}`, status: "down", duration_seconds: null },
      { event_type: "system", target: "hub", status: "up" },
    ],
  });
  const only = (query: string) => api.call("GET", `/api/system/watchdog-history?${query}`);
  expect((await only("event_type=system")).json["events"]).toHaveLength(1);
  expect((await only(`target=equipment:${id}&limit=1&offset=1`)).json).toMatchObject({
    total: 2,
    events: [{ status: "down" }],
  });
  expect((await only("event_type=weather")).status).toBe(400);
});
