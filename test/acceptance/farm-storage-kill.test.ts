import { soilProbe } from "@steading/farm/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startFarmHub, type FarmHub } from "../support/farm-hub.ts";

let place: FarmHub;
beforeAll(async () => void (place = await startFarmHub()));
afterAll(() => place.tidy());

interface Row {
  readonly last_reading: { readonly values: Record<string, { readonly value: number }> };
}
interface Page {
  readonly data: readonly { readonly name: string; readonly value: number; readonly timestamp: string }[];
}

// @proves farm.storage.last-reading-agrees
test("after kill -9 in the middle of polling, the last reading of every metric is the newest of its history", async () => {
  const id = await place.addEquipment(soilProbe(place.addresses));
  const posted = await place.addEquipment({ name: "Hand", type: "sensor", protocol: "other" });
  const page = async (metric: string): Promise<Page["data"]> =>
    ((await place.rest("GET", `/api/equipment/${id}/history?metric=${metric}&limit=5`)).json as Page).data;
  await expect.poll(async () => (await page("moisture")).length, { timeout: 20_000 }).toBe(5);
  const sent = { readings: [{ name: "ph", value: 6.25, unit: "" }] };
  expect((await place.rest("POST", `/api/equipment/${posted}/readings`, { body: sent })).status).toBe(201);

  process.kill(place.hub.pid, "SIGKILL");
  await place.hub.ended;
  await place.sim.stop(); // nothing fresh may come to hide what was kept
  await place.restart();
  const rowOf = async (equipment: number): Promise<Row> =>
    (await place.rest("GET", `/api/equipment/${equipment}?shape=parsed`)).json as Row;
  const { values } = (await rowOf(id)).last_reading;
  expect(Object.keys(values).toSorted((a, b) => a.localeCompare(b))).toEqual(["ec", "moisture", "temperature"]);
  for (const [metric, { value }] of Object.entries(values)) {
    const [newest] = await page(metric);
    expect({ metric, value }).toEqual({ metric, value: newest?.value });
  }
  // What was answered is there, whatever happened right after.
  expect((await rowOf(posted)).last_reading.values).toMatchObject({ ph: { value: 6.25 } });
});
