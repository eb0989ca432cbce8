import type { JsonObject } from "@steading/kernel";
import { expect, test } from "vitest";
import { createTrialFarm } from "./testing/trial-farm.ts";

function lastRecord({ ledger }: ReturnType<typeof createTrialFarm>): { kind: string; data: JsonObject } {
  const record = ledger.records("audit").at(-1);
  if (!record) throw new Error("There is no record.");
  return record;
}

test("a change is on record with who, what, which, and how it was before and after", async () => {
  const farm = createTrialFarm();
  const { book, zones } = farm.core;
  const { id } = await book.create({ name: "Probe", type: "sensor" }, "anna");
  expect(lastRecord(farm)).toMatchObject({
    kind: "farm.equipment.created",
    data: {
      by: "anna",
      changes: [{ target: `equipment/${id}`, before: null, after: { name: "Probe", enabled: true } }],
    },
  });
  await book.update(id, { name: "Soil probe", enabled: false }, "ben");
  const { data } = lastRecord(farm);
  expect(data).toMatchObject({
    by: "ben",
    changes: [{ before: { name: "Probe", enabled: true }, after: { name: "Soil probe", enabled: false } }],
  });
  expect(JSON.stringify(data)).not.toContain("polling_interval_ms"); // what stays the same is not repeated
  const house = await zones.create({ name: "House" }, "anna");
  await zones.link(house.id, id, "anna");
  await zones.remove(house.id, "carl");
  expect(lastRecord(farm)).toMatchObject({
    kind: "farm.zone.deleted",
    data: {
      by: "carl",
      changes: [
        { target: `zones/${house.id}`, before: { name: "House" }, after: null },
        { target: `equipment/${id}`, before: { zone_ids: [house.id] }, after: { zone_ids: [] } },
      ],
    },
  });
});

test("a record shows no secret, and neither a whole table nor a value without end", async () => {
  const farm = createTrialFarm();
  const { settings, book, tables } = farm.core;
  await settings.set({ telegram_bot_token: "123:abc", cloud_config: { url: "x", api_key: "k-9" } }, "anna");
  const told = JSON.stringify(lastRecord(farm));
  expect(told).toContain("***configured***");
  expect(told).not.toMatch(/123:abc|k-9/);
  const mappings = Array.from({ length: 200 }, (_, register) => ({ name: `metric ${register}`, register }));
  await book.create({ name: "Long", type: "sensor", register_mappings: mappings }, "anna");
  expect(lastRecord(farm).data).toMatchObject({
    changes: [{ after: { register_mappings: { cut: expect.any(Number) } } }],
  });
  const at = { created_at: 0, updated_at: 0 };
  const many = Array.from({ length: 30 }, (_, n) => ({
    id: n + 100,
    name: "z",
    description: null,
    parent_id: null,
    ...at,
  }));
  const puts = many.map((put) => ({ table: "zones", put }) as const);
  await tables.commit(puts, { kind: "farm.test", by: "anna", data: {} });
  expect(lastRecord(farm).data).toEqual({ by: "anna", changed_rows: 30 });
});
