import { createManualClock, seconds } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
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
  const made = await api.call("POST", "/api/equipment", { body: { name: "Hand meter", protocol: "other" } });
  id = made.id;
  await api.call("POST", `/api/equipment/${id}/readings`, { body: { value: 1 } });
});
afterEach(() => farm.stop());

const status = async () => (await api.call("GET", `/api/equipment/${id}`)).json["status"];
const report = (error_type: string) =>
  api.call("POST", `/api/equipment/${id}/errors`, { body: { error_type, message: "broken", details: { pin: 3 } } });

// @proves farm.equipment-api.errors farm.equipment-error.types
test("a reported fault is listed and makes the status error; only the six kinds are taken", async () => {
  expect(await status()).toBe("online");
  for (const kind of ["connection", "timeout", "protocol", "validation", "hardware", "other"]) {
    expect((await report(kind)).status).toBe(201);
  }
  expect((await report("cosmic")).status).toBe(400);
  expect(await status()).toBe("error");
  const list = await api.call("GET", `/api/equipment/${id}/errors?limit=2`, { role: "viewer" });
  expect(list.json).toMatchObject([
    { error_type: "other", resolved: 0, resolved_at: null, details: '{"pin":3}' },
    { error_type: "hardware" },
  ]);
  const later = encodeURIComponent(new Date(clock.now() + 1).toISOString());
  expect((await api.call("GET", `/api/equipment/${id}/errors?from=${later}`)).json).toEqual([]);
  expect((await api.call("GET", "/api/equipment/77/errors")).status).toBe(404);
});

// @proves farm.equipment-api.errors-resolved
test("the status is worked out again when the last fault is resolved, and not before", async () => {
  const [first, second] = [await report("hardware"), await report("timeout")];
  const resolve = (error: { id: number }) => api.call("PUT", `/api/equipment/${id}/errors/${error.id}/resolve`);
  expect((await resolve(first)).json).toMatchObject({ resolved: 1, resolved_at: expect.any(String) as unknown });
  expect(await status()).toBe("error");
  await resolve(second);
  expect(await status()).toBe("online");
  const third = await report("hardware");
  await clock.advance(seconds(120));
  await resolve(third);
  expect(await status()).toBe("offline");
  expect((await api.call("GET", `/api/equipment/${id}/errors?resolved=false`)).json).toEqual([]);
  expect((await api.call("PUT", `/api/equipment/${id}/errors/999/resolve`)).status).toBe(404);
});

test("a fault that nobody resolved stands after a restart", async () => {
  await report("hardware");
  const again = createTrialFarm({ clock, ledger: farm.ledger, history: farm.history });
  await again.start();
  expect(again.core.book.state(id).status).toBe("error");
  await again.stop();
});
