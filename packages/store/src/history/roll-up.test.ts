import { createManualClock, days, hours, millis, minutes, type Duration } from "@steading/kernel";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Bucket, Quality, Reading } from "../history.ts";
import { openTestStore, soon, temporaryDirectory } from "../test-directory.fixture.ts";

const START = Date.UTC(2026, 0, 1);
const HOLD = minutes(10);
const PATH = "/farm/tank/level";

/** What a bucket must say, worked out the slow way from all readings at once. */
function expectedBucket(readings: readonly Reading[], from: number, to: number, until: number): Bucket {
  const sorted = [...readings].sort((a, b) => a.at - b.at);
  const isGood = ({ quality, value }: Reading): boolean => quality === "good" && typeof value === "number";
  const inside = sorted.filter(({ at }) => at >= from && at < to);
  const values = inside.filter(isGood).map(({ value }) => Number(value));
  let covered = 0;
  let integral = 0;
  sorted.forEach((reading, i) => {
    if (!isGood(reading)) return;
    const next = sorted[i + 1]?.at ?? Number.POSITIVE_INFINITY;
    const start = Math.max(reading.at, from);
    const end = Math.min(next, reading.at + HOLD, to, next === Number.POSITIVE_INFINITY ? until : next);
    if (end <= start) return;
    covered += end - start;
    integral += (end - start) * Number(reading.value);
  });
  const width = Math.min(to, Math.max(until, from + 1)) - from;
  return {
    at: from,
    count: values.length,
    bad: inside.filter(({ quality }) => quality !== "good").length,
    min: values.length > 0 ? Math.min(...values) : undefined,
    max: values.length > 0 ? Math.max(...values) : undefined,
    mean: values.length > 0 ? values.reduce((a, b) => a + b, 0) / values.length : undefined,
    timeMean: covered > 0 ? integral / covered : undefined,
    first: values[0],
    last: values.at(-1),
    coverage: Math.min(1, covered / width),
  };
}

const close = (value: number | undefined): unknown => (value === undefined ? undefined : expect.closeTo(value, 6));
function closely(bucket: Bucket): unknown {
  const { mean, timeMean, coverage } = bucket;
  return { ...bucket, mean: close(mean), timeMean: close(timeMean), coverage: close(coverage) };
}

const quality = fc.constantFrom<Quality>("good", "good", "good", "good", "stale", "bad", "unknown");
const reading = fc.record({
  path: fc.constant(PATH),
  // A few hours, with many readings close together and many at the very same moment.
  at: fc
    .oneof(fc.integer({ min: 0, max: 5 * 3_600 }), fc.integer({ min: 3_590, max: 3_610 }))
    .map((s) => START + s * 1_000),
  value: fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constant("text")),
  quality,
});

// @proves store.series.keeps-time-and-quality
test(
  "minutes and hours add up to what the readings say, whatever order they come in",
  { timeout: 60_000 },
  async () => {
    const clock = createManualClock(START);
    await clock.advance(hours(6));
    let run = 0;
    const store = await openTestStore(temporaryDirectory(), { clock, limits: { hold: HOLD } });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(reading, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 6 }),
        fc.constantFrom<Duration>(millis(7_000), minutes(1), minutes(5), hours(1), hours(2)),
        async (batches, width) => {
          const path = `/series/${run++}`;
          const byTime = new Map<number, Reading>();
          for (const batch of batches) {
            for (const each of batch) byTime.set(each.at, each);
            await store.history.append(
              batch.map((each) => ({ ...each, path })),
              { durability: "kept" },
            );
          }
          const all = [...byTime.values()];
          const to = START + hours(5);
          const { buckets } = await store.history.buckets({ path, from: START, to, width });
          const wanted = buckets.map(({ at }) => closely(expectedBucket(all, at, at + width, clock.now())));
          expect(buckets).toEqual(wanted);
          const odd = { from: START + 61_234, to: START + hours(4) - 777 };
          const summary = await store.history.summary({ path, ...odd });
          expect(summary).toEqual(closely(expectedBucket(all, odd.from, odd.to, clock.now())));
          const { readings } = await store.history.range({ path, from: START, to: to + 1, limit: 10_000 });
          expect(readings).toEqual(all.sort((a, b) => a.at - b.at).map((each) => ({ ...each, path })));
        },
      ),
      { numRuns: 40 },
    );
  },
);

test("adding up goes on where it stopped after a restart, also within a minute", async () => {
  const dir = temporaryDirectory();
  const clock = createManualClock(START);
  await clock.advance(hours(3));
  const all: Reading[] = Array.from({ length: 300 }, (_, n) => ({
    path: PATH,
    at: START + n * 20_000,
    value: n,
    quality: "good",
  }));
  for (let from = 0; from < 300; from += 100) {
    const store = await openTestStore(dir, { clock, limits: { hold: HOLD } });
    await store.history.append(all.slice(from, from + 100), { durability: "fixed" });
    await store.close();
  }
  const store = await openTestStore(dir, { clock, limits: { hold: HOLD } });
  const { buckets } = await store.history.buckets({ path: PATH, from: START, to: START + hours(2), width: hours(1) });
  expect(buckets).toEqual(buckets.map(({ at }) => closely(expectedBucket(all, at, at + hours(1), clock.now()))));
});

test("hours outlive the minutes, and minutes the readings", async () => {
  const dir = temporaryDirectory();
  const clock = createManualClock(START);
  const limits = { hold: HOLD, keepRaw: days(1), keepMinutes: days(3) };
  const store = await openTestStore(dir, { clock, limits });
  const all: Reading[] = [];
  const minute = (n: number): Reading => ({ path: PATH, at: START + n * 60_000, value: n % 7, quality: "good" });
  for (let day = 0; day < 6; day++) {
    const readings = Array.from({ length: 1_440 }, (_, n) => minute(day * 1_440 + n));
    await clock.advance(days(1));
    await store.history.append(readings, { durability: "kept" });
    all.push(...readings);
  }
  // Readings of five days, and minutes of three.
  await soon(() => expect(store.counters().history.pruned).toBe(5 * 1_440 + 3 * 1_440));
  await store.close();
  const after = await openTestStore(dir, { clock, limits });
  const rawLeft = await after.history.range({ path: PATH, from: START, to: clock.now(), limit: 10_000 });
  expect(rawLeft.readings).toHaveLength(1_440);
  expect(rawLeft.readings.at(-1)?.at).toBe(all.at(-1)?.at);
  const { buckets } = await after.history.buckets({ path: PATH, from: START, to: START + days(6), width: hours(1) });
  expect(buckets).toEqual(buckets.map(({ at }) => closely(expectedBucket(all, at, at + hours(1), clock.now()))));
  expect(after.counters().history.failedPrunes).toBe(0);
});
