import { createManualClock, hours, minutes } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { metricPath } from "../model/farm-history.ts";
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
  const mapping = { name: "moisture", register: 0, type: "input", alarmLow: 29, alarmSeverity: "critical" };
  const body = { name: "Probe", protocol: "other", register_mappings: [mapping] };
  id = (await api.call("POST", "/api/equipment", { body })).id;
});
afterEach(() => farm.stop());

const post = (body: object) => api.call("POST", `/api/equipment/${id}/readings`, { body });
const at = (offset: number) => new Date(clock.now() + offset).toISOString();
const last = () => farm.core.book.state(id).metrics.get("moisture")?.value;

test("a reading from the future is refused by name; a clock that is a little ahead is not", async () => {
  const reading = { name: "moisture", value: 99 };
  for (const timestamp of ["9999-12-31T23:59:59Z", at(minutes(6)), "1969-12-31T23:59:59Z"]) {
    expect(await post({ ...reading, timestamp })).toMatchObject({
      status: 400,
      json: { message: expect.stringContaining("timestamp") as unknown, details: { field: "timestamp" } },
    });
    const readings = [reading, { ...reading, timestamp }];
    expect(await post({ readings })).toMatchObject({
      status: 400,
      json: { details: { field: "readings[1].timestamp" } },
    });
  }
  expect((await api.call("GET", `/api/equipment/${id}/history`)).json["total"]).toBe(0);
  expect((await post({ ...reading, timestamp: at(minutes(4)) })).status).toBe(201);
});

test("a reading from the past is kept, and what is last stays last", async () => {
  await post({ name: "moisture", value: 50 });
  expect((await post({ name: "moisture", value: 5, timestamp: at(0 - hours(1)) })).status).toBe(201);
  expect(last()).toBe(50);
  expect((await api.call("GET", "/api/alerts")).rows).toEqual([]);
  expect((await api.call("GET", `/api/equipment/${id}/history`)).json["total"]).toBe(2);
  await post({ name: "moisture", value: 5 });
  expect(last()).toBe(5);
  expect((await api.call("GET", "/api/alerts")).rows).toHaveLength(1);
});

test("a reading of a wrong clock that was kept hides nothing after a start", async () => {
  const far = Date.parse("9999-12-31T23:59:59Z");
  await farm.history.append([{ path: metricPath(id, "moisture"), value: 99, at: far, quality: "good" }]);
  await farm.stop();
  farm = createTrialFarm({ clock, ledger: farm.ledger, history: farm.history });
  await farm.start();
  api = createTrialApi(farm);
  await clock.advance(minutes(1));
  await post({ name: "moisture", value: 5 });
  expect(last()).toBe(5);
  const to = "to=9999-12-31T23:59:59.999Z";
  const { json } = await api.call("GET", `/api/equipment/${id}/history?${to}`);
  const ids = (json["readings"] as { id: number }[]).map((each) => each.id);
  expect(ids.every((each) => Number.isSafeInteger(each) && each > 0)).toBe(true);
});
