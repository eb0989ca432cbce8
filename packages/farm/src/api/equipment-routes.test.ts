import { createManualClock, hours, minutes, seconds } from "@steading/kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FarmEvent } from "../model/farm-events.ts";
import { BOARD, startBoardFarm } from "../testing/board-farm.ts";
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

describe("a board with a channel on", () => {
  let boards: TrialFarm;
  let calls: TrialApi;
  let board: number;
  beforeEach(async () => {
    boards = await startBoardFarm(clock);
    calls = createTrialApi(boards);
    board = (await calls.call("POST", "/api/equipment", { body: BOARD })).id;
    await calls.call("POST", `/api/equipment/${board}/relay/control`, { body: { channel: 1, state: true } });
  });
  afterEach(() => boards.stop());
  const put = (body: object, query = "") => calls.call("PUT", `/api/equipment/${board}${query}`, { body });
  const [first, , third] = BOARD.register_mappings;

  test.each([
    ["another address", { address: "10.0.0.2" }],
    ["another port", { address: "10.0.0.1:503" }],
    ["another unit", { slave_id: 7 }],
    ["another protocol", { protocol: "other" }],
    ["another transport", { transport: "rtu_over_tcp" }],
    ["no answers", { write_only: true }],
    ["no mapping for it", { register_mappings: [first, third] }],
    ["a mapping that cannot be switched", { register_mappings: [{ name: "r1", register: 1, type: "coil" }] }],
    ["nobody to look after it", { enabled: false }],
  ])("is not given %s, unless it is forced", async (_what, body) => {
    expect(await put(body)).toMatchObject({
      status: 409,
      json: { code: "CHANNEL_IS_ON", details: { equipment_id: board, channels: [1] } },
    });
    expect((await put(body, "?force=1")).status).toBe(200);
  });

  test("is renamed, labelled and polled at another rate all the same", async () => {
    const mappings = BOARD.register_mappings.map((each) => ({ ...each, label: "Named" }));
    const same = { address: "10.1:502", slave_id: 1, enabled: 1, write_only: 0, transport: "tcp" };
    const body = { name: "North", polling_interval_ms: 5_000, register_mappings: mappings, ...same };
    expect((await put(body)).status).toBe(200);
  });

  test("counts as on after it was lost, until somebody has seen it off", async () => {
    await put({ polling_interval_ms: 1_000 });
    await put({ slave_id: 9 }, "?force=1"); // dead
    await clock.advance(minutes(5));
    expect((await calls.call("GET", `/api/equipment/${board}/relay/state`)).json["channels"]).toMatchObject([
      {},
      { state: null },
      {},
    ]);
    expect((await put({ address: "10.0.0.9" })).status).toBe(409);
    expect((await calls.call("DELETE", `/api/equipment/${board}`, { role: "admin" })).status).toBe(409);
    await put({ slave_id: 1 }, "?force=1");
    const off = calls.call("POST", `/api/equipment/${board}/relay/control`, { body: { channel: 1, state: false } });
    await clock.advance(seconds(1));
    expect((await off).status).toBe(200);
    expect((await put({ address: "10.0.0.9" })).status).toBe(200);
  });
});
