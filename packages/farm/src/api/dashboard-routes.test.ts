import { createManualClock, hours, minutes, seconds } from "@steading/kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTrialApi, type TrialApi } from "../testing/trial-api.ts";
import { createTrialFarm, type TrialFarm } from "../testing/trial-farm.ts";

const clock = createManualClock();
let farm: TrialFarm;
let api: TrialApi;
beforeEach(async () => {
  farm = createTrialFarm({ clock });
  await farm.start();
  api = createTrialApi(farm);
});
afterEach(() => farm.stop());

async function device(name: string): Promise<number> {
  return (await api.call("POST", "/api/equipment", { body: { name, protocol: "other" } })).id;
}
/** So many readings, one a second, the last of them at this moment. */
async function post(id: number, name: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1_000) {
    const readings = Array.from({ length: Math.min(1_000, count - done) }, (_, i) => ({
      name,
      value: (done + i) % 100,
      timestamp: new Date(clock.now() - (done + i) * 1_000).toISOString(),
    }));
    await api.call("POST", `/api/equipment/${id}/readings`, { body: { readings } });
  }
}

describe("the overview", () => {
  // @proves farm.dashboard.overview farm.client-http.calls
  test("it has every member, each within its bound", async () => {
    for (let i = 0; i < 25; i += 1) {
      await post(await device(`Device ${i}`), "a", 1);
      await post(i + 1, "b", 1);
      await post(i + 1, "c", 1);
      await api.call("POST", "/api/automations", { body: { name: `Program ${i}` } });
      await api.call("POST", "/api/alerts", { body: { severity: i % 2 ? "critical" : "warning", message: `m${i}` } });
    }
    for (let id = 1; id <= 7; id += 1) await api.call("POST", `/api/automations/${id}/trigger`);
    await api.call("POST", "/api/zones", { body: { name: "Z" } });
    const { json } = await api.call("GET", "/api/dashboard/overview?hours=2", { role: "viewer" });
    expect(json).toMatchObject({
      equipment: { total: 25, online: 25, offline: 0, error: 0, warning: 0 },
      zones: { total: 1 },
      automations: { total: 25, active: 25 },
      alerts: { unacknowledged: 25, critical: 12, warning: 13 },
      latestLabReadings: [],
      timeRange: { hours: 2 },
    });
    const lengths = Object.entries(json).flatMap(([key, value]) => (Array.isArray(value) ? [[key, value.length]] : []));
    expect(Object.fromEntries(lengths)).toEqual({
      recentAlerts: 5,
      recentAutomations: 5,
      latestReadings: 50,
      activeAutomations: 10,
      chartReadings: 75,
      equipmentList: 20,
      latestLabReadings: 0,
    });
    expect((json["recentAlerts"] as object[])[0]).toMatchObject({ message: "m24", acknowledged: 0 });
    expect((json["equipmentList"] as object[])[0]).toMatchObject({ name: "Device 0", enabled: 1, zone: "" });
    const parsed = await api.call("GET", "/api/dashboard/overview?shape=parsed&chart=0");
    expect((parsed.json["equipmentList"] as object[])[0]).toMatchObject({ enabled: true });
  });

  // @proves farm.dashboard.chart-cap
  test("its chart has at most 2000 points in all, and every device has some", async () => {
    for (const name of ["A", "B", "C"]) await post(await device(name), "level", 1_500);
    const { json } = await api.call("GET", "/api/dashboard/overview?hours=1");
    const points = json["chartReadings"] as { equipment_id: number }[];
    expect(points.length).toBeLessThanOrEqual(2_000);
    expect(new Set(points.map(({ equipment_id }) => equipment_id)).size).toBe(3);
  });
});

// @proves farm.dashboard.zone-equipment
test("a zone and a device have pages of their own: readings, alerts, zones", async () => {
  const zone = (await api.call("POST", "/api/zones", { body: { name: "House" } })).id;
  const room = (await api.call("POST", "/api/zones", { body: { name: "Room", parent_id: zone } })).id;
  const id = await device("Meter");
  await api.call("POST", `/api/zones/${room}/equipment`, { body: { equipment_id: id } });
  await post(id, "ph", 120);
  for (let i = 0; i < 12; i += 1) {
    await api.call("POST", "/api/alerts", { body: { severity: "info", message: `a${i}`, equipment_id: id } });
  }
  const own = await api.call("GET", `/api/dashboard/equipment/${id}`, { role: "viewer" });
  expect(own.json).toMatchObject({ equipment: { id, name: "Meter" }, zones: [{ id: room, name: "Room" }] });
  expect(own.json["readings"]).toHaveLength(100);
  expect(own.json["alerts"]).toHaveLength(10);
  const page = await api.call("GET", `/api/dashboard/zone/${zone}`, { role: "viewer" });
  expect(page.json).toMatchObject({
    zone: { id: zone, name: "House" },
    zones: [{ id: room }],
    equipment: [{ id }],
    readings: [{ equipment_id: id, name: "ph" }],
  });
  expect(page.json["alerts"]).toHaveLength(10);
  expect((await api.call("GET", "/api/dashboard/zone/99")).status).toBe(404);
  expect((await api.call("GET", "/api/dashboard/equipment/99")).status).toBe(404);
});

describe("a chart", () => {
  // @proves farm.equipment-api.chart
  test("it needs a beginning, and its points are the coarser the longer it is", async () => {
    const id = await device("Meter");
    for (let i = 0; i < 60; i += 1) {
      const timestamp = new Date(clock.now() - i * minutes(10)).toISOString();
      await api.call("POST", `/api/equipment/${id}/readings`, { body: { name: "ph", value: i, timestamp } });
    }
    await post(id, "ph", 30);
    const chart = async (length: number) => {
      const from = encodeURIComponent(new Date(clock.now() - length).toISOString());
      return (await api.call("GET", `/api/equipment/${id}/history/chart?from=${from}`)).rows;
    };
    expect((await api.call("GET", `/api/equipment/${id}/history/chart`)).status).toBe(400);
    expect(await chart(hours(1))).toHaveLength(36);
    expect((await chart(hours(1)))[0]).toMatchObject({
      name: "ph",
      count: 1,
      timestamp: expect.any(String) as unknown,
    });
    const isMadeOf = async (length: number, width: number) => {
      const times = (await chart(length)).map(({ timestamp }) => Date.parse(String(timestamp)));
      return new Set(times).size === times.length && times.every((at) => at % width === 0);
    };
    expect(await isMadeOf(hours(24), minutes(5))).toBe(true);
    expect(await isMadeOf(hours(24), minutes(10))).toBe(false);
    expect(await isMadeOf(hours(24 * 7), hours(1))).toBe(true);
    expect(await isMadeOf(hours(24 * 30), hours(6))).toBe(true);
    const rows = await chart(hours(24));
    expect(rows.reduce((sum, { count }) => sum + Number(count), 0)).toBe(89);
  });

  // @proves farm.equipment-api.chart-cap
  test("it never has more than 2000 points, whatever it is asked for", async () => {
    const id = await device("Meter");
    await post(id, "ph", 2_600);
    const from = encodeURIComponent(new Date(clock.now() - hours(1)).toISOString());
    expect((await api.call("GET", `/api/equipment/${id}/history/chart?from=${from}`)).rows).toHaveLength(2_000);
    await clock.advance(seconds(1));
    const csv = await api.call("GET", `/api/equipment/${id}/history/chart?from=${from}&format=csv`);
    expect(csv.text?.trim().split("\r\n").length).toBeLessThanOrEqual(2_001);
  });
});
