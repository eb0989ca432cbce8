import { createManualClock, hours } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FarmEvent } from "../model/farm-events.ts";
import { createTrialApi, type TrialApi } from "../testing/trial-api.ts";
import { createTrialFarm, type TrialFarm } from "../testing/trial-farm.ts";

const clock = createManualClock();
let farm: TrialFarm;
let api: TrialApi;
let id: number;
beforeEach(async () => {
  farm = createTrialFarm({ clock });
  await farm.start();
  api = createTrialApi(farm);
  id = (await api.call("POST", "/api/equipment", { body: { name: "Hand meter", protocol: "other" } })).id;
});
afterEach(() => farm.stop());

// @proves farm.equipment-api.delete
test("deleted equipment is gone, with everything that hung on it, and everybody is told", async () => {
  const events: FarmEvent[] = [];
  farm.core.events.on((event) => void events.push(event));
  await api.call("POST", `/api/equipment/${id}/errors`, { body: { error_type: "other", message: "x" } });
  await api.call("POST", "/api/alerts", { body: { severity: "info", message: "x", equipment_id: id } });
  expect((await api.call("DELETE", `/api/equipment/${id}`)).status).toBe(403);
  expect(await api.call("DELETE", `/api/equipment/${id}`, { role: "admin" })).toMatchObject({
    status: 200,
    json: { message: expect.any(String) as unknown },
  });
  expect(events).toContainEqual({ kind: "equipment", change: "deleted", id });
  expect((await api.call("GET", `/api/equipment/${id}`)).status).toBe(404);
  expect((await api.call("GET", "/api/alerts")).json).toMatchObject([{ equipment_id: null, equipment_name: null }]);
  expect(farm.core.tables.all("equipment_errors")).toEqual([]);
  expect((await api.call("DELETE", `/api/equipment/${id}`, { role: "admin" })).status).toBe(404);
});

// @proves farm.equipment-api.calibrate
test("a calibration is kept and answered with the equipment it is of", async () => {
  const body = { offset: -0.5, scale: 1.02 };
  expect((await api.call("POST", `/api/equipment/${id}/calibrate`, { body })).status).toBe(403);
  const { json } = await api.call("POST", `/api/equipment/${id}/calibrate`, { role: "admin", body });
  expect(json).toMatchObject({
    message: expect.any(String) as unknown,
    ...body,
    equipment: { id, calibration_offset: -0.5, calibration_scale: 1.02 },
  });
  expect((await api.call("GET", `/api/equipment/${id}`)).json).toMatchObject({ calibration_scale: 1.02 });
  const wrong = { offset: "much" };
  expect((await api.call("POST", `/api/equipment/${id}/calibrate`, { role: "admin", body: wrong })).status).toBe(400);
});

// @proves farm.equipment.last-reading-sensor
test("the last reading of a sensor has value and unit by metric", async () => {
  await api.call("POST", `/api/equipment/${id}/readings`, { body: { name: "ph", value: 6.1, unit: "pH" } });
  const { json } = await api.call("GET", `/api/equipment/${id}?shape=parsed`);
  expect(json["last_reading"]).toEqual({ values: { ph: { value: 6.1, unit: "pH" } } });
});

// @proves farm.alert-api.more-filters
test("alerts are found by zone, by time and by whether they are cleared", async () => {
  const zone = (await api.call("POST", "/api/zones", { body: { name: "Bed" } })).id;
  const raise = (body: object) => api.call("POST", "/api/alerts", { body: { severity: "info", ...body } });
  await raise({ message: "here", zone_id: zone });
  await clock.advance(hours(1));
  const middle = encodeURIComponent(new Date(clock.now() - hours(0.5)).toISOString());
  await raise({ message: "later", fingerprint: "f" });
  await farm.core.alerts.clear("f");
  const found = async (query: string) =>
    (await api.call("GET", `/api/alerts?${query}`, { role: "viewer" })).rows.map(({ message }) => message);
  expect(await found(`zone_id=${zone}`)).toEqual(["here"]);
  expect(await found(`from=${middle}`)).toEqual(["later"]);
  expect(await found(`to=${middle}`)).toEqual(["here"]);
  expect(await found("cleared=true")).toEqual(["later"]);
  expect(await found("cleared=false")).toEqual(["here"]);
  expect((await api.call("GET", "/api/alerts?from=yesterday")).status).toBe(400);
});
