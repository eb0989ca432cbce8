import { statSync } from "node:fs";
import { join } from "node:path";
import { createManualClock, days } from "@steading/kernel";
import { expect, test } from "vitest";
import { openForWriting } from "../sqlite/open-database.ts";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";
import { compact } from "./compact.ts";
import { pruneHistory } from "./prune-history.ts";
import { createRollUp } from "./roll-up.ts";

const START = Date.UTC(2026, 0, 1);
const PATH = "/farm/equipment/1/measurements[t]/value";
const ROWS = 60_000;

/** A history of sixty thousand readings, one every second from the start on. */
async function filled() {
  const dir = temporaryDirectory();
  const clock = createManualClock(START + ROWS * 1_000);
  const store = await openTestStore(dir, { clock });
  const readings = Array.from({ length: ROWS }, (_, n) => ({
    path: PATH,
    at: START + n * 1_000,
    value: n % 100,
    quality: "good" as const,
  }));
  await store.history.append(readings, { durability: "kept" });
  return { dir, clock, store, file: join(dir, "history.db") };
}

// @proves farm.retention.readings
test("after ninety days a day of readings is what it adds up to, and the room is given back", async () => {
  const { clock, store, file } = await filled();
  const day = { path: PATH, from: START, to: START + days(1), width: days(1) };
  const before = await store.history.buckets(day);
  expect(await store.history.tidy()).toMatchObject({ rows: 0, compacted: "not worth it" });
  await clock.advance(days(92));
  expect(await store.history.tidy()).toEqual({ rows: ROWS, compacted: "done" });
  expect(statSync(file).size).toBeLessThan(ROWS * 2); // two bytes a reading; each took more than ten
  expect((await store.history.range({ ...day, limit: 10 })).readings).toEqual([]);
  const [archived] = (await store.history.buckets(day)).buckets;
  const { count, min, mean, max } = before.buckets[0] ?? {};
  expect(archived).toMatchObject({ at: START, count, min, mean, max });
  expect({ count, min, mean, max }).toEqual({ count: ROWS, min: 0, mean: 49.5, max: 99 });
  await store.history.append([{ path: PATH, at: clock.now(), value: 1, quality: "good" }], { durability: "kept" });
  expect(store.history.latest(PATH)?.value).toBe(1);
  expect(store.counters().history).toMatchObject({ pruned: ROWS, compactions: 1, failedPrunes: 0 });
  await store.close();
});

// @proves farm.retention.batches
test("old rows go in steps of 25000", async () => {
  const { store, file } = await filled();
  await store.close();
  const db = openForWriting(file);
  const rollUp = createRollUp({ db, holdOf: () => 900_000 });
  const times = { raw: START + days(1), minute: 0, hour: 0 };
  expect([...pruneHistory({ db, rollUp, times })]).toEqual([25_000, 25_000, 10_000]);
  db.close();
});

// @proves farm.retention.vacuum
test("nothing is compacted while the disk has less room than the database takes", async () => {
  const { store, file } = await filled();
  await store.close();
  const db = openForWriting(file);
  db.exec("DELETE FROM raw");
  const size = Number(db.pragma("page_count", { simple: true })) * Number(db.pragma("page_size", { simple: true }));
  expect(compact(db, file, () => size - 1)).toBe("no room");
  expect(Number(db.pragma("page_count", { simple: true })) * 4_096).toBe(size);
  expect(compact(db, file, () => size)).toBe("done");
  expect(compact(db, file, () => size)).toBe("not worth it");
  db.close();
});
