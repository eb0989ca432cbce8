import { createManualClock, days, hours, millis, type Log } from "@steading/kernel";
import { silentLog } from "@steading/kernel";
import { expect, test } from "vitest";
import type { Reading } from "../history.ts";
import { openForReading } from "../sqlite/open-database.ts";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";
import { join } from "node:path";

const START = Date.UTC(2026, 0, 1);
const good = (path: string, seconds: number, value: Reading["value"]): Reading => ({
  path,
  at: START + seconds * 1_000,
  value,
  quality: "good",
});

// @proves store.series.batched store.volatile.batch-bound-is-a-setting store.volatile.last-polled-batch
test("polled readings are collected for a moment and written together", async () => {
  const clock = createManualClock(START);
  const store = await openTestStore(temporaryDirectory(), { clock, limits: { batchMs: 250 } });
  for (let n = 0; n < 50; n++) {
    expect(await store.history.append([good("/a", n, n)])).toEqual({ accepted: 1, dropped: 0 });
  }
  await clock.advance(millis(249));
  expect(store.counters().history).toMatchObject({ written: 0, batches: 0 });
  expect(clock.pending).toBe(1);
  await clock.advance(millis(1));
  await store.history.flush();
  expect(store.counters().history).toMatchObject({ written: 50, batches: 1 });
  expect(clock.pending).toBe(0);
});

// @proves store.volatile.batch-bound-is-a-setting
test("a full batch does not wait for its time", async () => {
  const clock = createManualClock(START);
  const store = await openTestStore(temporaryDirectory(), { clock, limits: { batchReadings: 10 } });
  await store.history.append(Array.from({ length: 10 }, (_, n) => good("/a", n, n)));
  expect(clock.pending).toBe(0);
  await store.history.flush();
  expect(store.counters().history.written).toBe(10);
});

// @proves store.fixed.qos1-readings store.files.history-db store.series.readings-not-in-journal
test("a reading that is waited for is in history.db when the answer comes, and in no stream", async () => {
  const dir = temporaryDirectory();
  const store = await openTestStore(dir);
  await store.history.append([good("/a", 1, 21.5)], { durability: "fixed" });
  const db = openForReading(join(dir, "history.db"));
  expect(db.prepare("SELECT path, at, value FROM raw JOIN series ON series.id = raw.series").all()).toEqual([
    { path: "/a", at: START + 1_000, value: 21.5 },
  ]);
  expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
  db.close();
  for (const stream of ["audit", "runs", "bus"] as const) expect(store.ledger.lastSeq(stream)).toBe(0);
});

// @proves store.series.keeps-time-and-quality
test("values of every kind come back with their time and quality", async () => {
  const dir = temporaryDirectory();
  const first = await openTestStore(dir);
  const readings: Reading[] = [
    { path: "/a", at: START, value: 0, quality: "good" },
    { path: "/a", at: START + 1, value: -1.5e-9, quality: "stale" },
    { path: "/a", at: START + 2, value: true, quality: "bad" },
    { path: "/a", at: START + 3, value: false, quality: "good" },
    { path: "/a", at: START + 4, value: "Küche\n=1+1", quality: "unknown" },
    { path: "/a", at: START + 5, value: null, quality: "bad" },
    { path: "/a", at: START + 6, value: { x: [1, null] }, quality: "good" },
    { path: "/a", at: START + 7, value: "", quality: "good" },
  ];
  await first.history.append(readings);
  expect(first.history.latest("/a")).toEqual(readings.at(-1));
  await first.close();
  const store = await openTestStore(dir);
  expect(store.history.latest("/a")).toEqual(readings.at(-1));
  const page = await store.history.range({ path: "/a", from: START, to: START + 100 });
  expect(page).toEqual({ readings, truncated: false });
});

test("the latest reading is the one with the latest time, not the one that came last", async () => {
  const dir = temporaryDirectory();
  const first = await openTestStore(dir);
  expect(first.history.latest("/a")).toBeUndefined();
  await first.history.append([good("/a", 100, 1)], { durability: "kept" });
  await first.close();
  const store = await openTestStore(dir);
  await store.history.append([good("/a", 50, 2)]);
  expect(store.history.latest("/a")?.value).toBe(1);
  await store.history.append([good("/a", 100, 3)]);
  expect(store.history.latest("/a")?.value).toBe(3);
});

test("a range is paged from either end and says when it was cut", async () => {
  const store = await openTestStore(temporaryDirectory());
  await store.history.append(Array.from({ length: 25 }, (_, n) => good("/a", n, n)));
  const query = { path: "/a", from: START + 5_000, to: START + 20_000, limit: 10 };
  const values = (page: { readings: readonly Reading[] }) => page.readings.map(({ value }) => value);
  const first = await store.history.range(query);
  expect(values(first)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  expect(first.truncated).toBe(true);
  const rest = await store.history.range({ ...query, from: (first.readings.at(-1)?.at ?? 0) + 1 });
  expect([values(rest), rest.truncated]).toEqual([[15, 16, 17, 18, 19], false]);
  const newest = await store.history.range({ ...query, order: "newest first", limit: 3 });
  expect([values(newest), newest.truncated]).toEqual([[19, 18, 17], true]);
});

test("a gap is a bucket without a value, not a zero", async () => {
  const clock = createManualClock(START);
  await clock.advance(hours(4));
  const store = await openTestStore(temporaryDirectory(), { clock });
  await store.history.append([good("/a", 0, 10), good("/a", 3 * 3_600, 20)]);
  const { buckets } = await store.history.buckets({ path: "/a", from: START, to: START + hours(3), width: hours(1) });
  expect(buckets).toEqual([
    expect.objectContaining({ count: 1, mean: 10, timeMean: 10, coverage: 0.25 }),
    expect.objectContaining({
      count: 0,
      min: undefined,
      mean: undefined,
      timeMean: undefined,
      last: undefined,
      coverage: 0,
    }),
    expect.objectContaining({ count: 0, coverage: 0 }),
  ]);
});

test("a series says how long its values stand", async () => {
  const clock = createManualClock(START);
  await clock.advance(hours(10));
  const store = await openTestStore(temporaryDirectory(), { clock });
  store.history.define("/relay", { unit: "", hold: days(1) });
  await store.history.append([good("/relay", 0, true), good("/relay", 2 * 3_600, false)]);
  const { buckets } = await store.history.buckets({
    path: "/relay",
    from: START,
    to: START + hours(4),
    width: hours(4),
  });
  expect(buckets[0]).toMatchObject({ timeMean: 0.5, coverage: 1, count: 2 });
});

test("left to choose, buckets have a round width and are few", async () => {
  const store = await openTestStore(temporaryDirectory());
  await store.history.append([good("/a", 0, 1)]);
  const day = await store.history.buckets({ path: "/a", from: START, to: START + days(1), count: 100 });
  expect(day.width).toBe(15 * 60_000);
  expect(day.buckets).toHaveLength(96);
  const query = { path: "/a", from: START, to: START + days(30), width: millis(1_000) };
  await expect(store.history.buckets(query)).rejects.toMatchObject({ code: "QUERY_INVALID" });
  await expect(store.history.summary({ path: "/a", from: START, to: START })).rejects.toMatchObject({
    code: "QUERY_INVALID",
  });
  await expect(store.history.range({ path: "/b", from: 0, to: 1 })).rejects.toMatchObject({ code: "SERIES_UNKNOWN" });
});

test("what cannot be stored is dropped and counted by reason", async () => {
  const clock = createManualClock(START);
  const limits = { keepRaw: days(2), series: 2, textLength: 10 };
  const store = await openTestStore(temporaryDirectory(), { clock, limits });
  const appended = await store.history.append([
    good("/a", 0, Number.NaN),
    good("/a", 0, "longer than ten"),
    good("", 0, 1),
    good("/a", Number.NaN, 1),
    good("/a", -3 * 86_400, 1),
    good("/a", 2 * 86_400, 1),
    good("/a", 0, 1),
    good("/b", 0, 1),
    good("/c", 0, 1),
  ]);
  expect(appended).toEqual({ accepted: 2, dropped: 7 });
  expect(store.counters().history).toMatchObject({
    droppedInvalid: 4,
    droppedTooOld: 1,
    droppedAhead: 1,
    droppedSeries: 1,
    droppedNoRoom: 0,
  });
});

test("a full queue drops polled readings, counted, and refuses those that are waited for", async () => {
  const clock = createManualClock(START);
  const store = await openTestStore(temporaryDirectory(), { clock, limits: { queueReadings: 5 } });
  const many = Array.from({ length: 8 }, (_, n) => good("/a", n, n));
  expect(await store.history.append(many)).toEqual({ accepted: 5, dropped: 3 });
  await expect(store.history.append(many, { durability: "fixed" })).rejects.toMatchObject({
    code: "STORE_BUSY",
    retryable: true,
  });
  await store.history.flush();
  expect(await store.history.append(many.slice(5))).toEqual({ accepted: 3, dropped: 0 });
  expect(store.counters().history.droppedNoRoom).toBe(3);
});

// @proves store.disk-full.reads-go-on
test("a full history loses readings, says so once, and leaves the ledger alone", async () => {
  const said: string[] = [];
  const log: Log = { ...silentLog, error: (message) => said.push(message), info: (message) => said.push(message) };
  const store = await openTestStore(temporaryDirectory(), { log, limits: { historyBytes: 200_000 } });
  await store.history.append([good("/a", 0, 1)], { durability: "kept" });
  const flood = (from: number) => Array.from({ length: 20_000 }, (_, n) => good("/a", from + n, "some text"));
  await store.history.append(flood(100));
  await store.history.append(flood(40_000));
  await expect(store.history.append([...flood(80_000)], { durability: "kept" })).rejects.toMatchObject({
    code: "STORE_FULL",
  });
  expect(store.history.latest("/a")).toEqual(good("/a", 0, 1));
  expect(store.counters().history).toMatchObject({ lost: 40_000 });
  await store.ledger.commit({ durability: "fixed", puts: [{ space: "s", key: "k", value: 1 }] });
  await store.history.append([good("/a", 1, 2)], { durability: "kept" });
  expect((await store.history.range({ path: "/a", from: START, to: START + days(1) })).readings).toHaveLength(2);
  expect(said).toEqual([
    "Readings cannot be written to history.db and are lost until it can.",
    "history.db takes readings again.",
  ]);
});

test("series are listed in order, by prefix and page", async () => {
  const store = await openTestStore(temporaryDirectory());
  store.history.define("/farm/tank", { unit: "l" });
  await store.history.append(["/heating/flow", "/farm/pump", "/farm/well", "/farma"].map((path) => good(path, 0, 1)));
  const paths = (options?: Parameters<typeof store.history.series>[0]) =>
    store.history.series(options).map(({ path }) => path);
  expect(paths()).toEqual(["/farm/pump", "/farm/tank", "/farm/well", "/farma", "/heating/flow"]);
  expect(paths({ prefix: "/farm/", limit: 2 })).toEqual(["/farm/pump", "/farm/tank"]);
  expect(paths({ prefix: "/farm/", after: "/farm/tank" })).toEqual(["/farm/well"]);
  expect(store.history.series({ prefix: "/farm/tank" })).toEqual([{ path: "/farm/tank", unit: "l" }]);
});

test("after closing there is no history", async () => {
  const store = await openTestStore(temporaryDirectory());
  await store.history.append([good("/a", 0, 1)]);
  await store.close();
  await expect(store.history.append([good("/a", 1, 1)])).rejects.toMatchObject({ code: "STORE_CLOSED" });
  expect(() => store.history.latest("/a")).toThrow("The store is closed");
});
