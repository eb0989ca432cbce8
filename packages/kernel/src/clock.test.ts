import { describe, expect, test } from "vitest";
import type { Clock } from "./clock.ts";
import { days, hours, millis, minutes, seconds } from "./duration.ts";
import { createManualClock } from "./manual-clock.ts";
import { createRealClock } from "./real-clock.ts";

test("durations are milliseconds whatever unit they were said in", () => {
  expect([millis(5), seconds(5), minutes(5), hours(5), days(5)]).toEqual([5, 5_000, 300_000, 18_000_000, 432_000_000]);
});

describe("a manual clock", () => {
  test("stands still until it is moved, and fires timers in order of their time", async () => {
    const clock = createManualClock(1_000);
    const fired: string[] = [];
    clock.timer(millis(20), () => fired.push(`b at ${clock.now()}`));
    clock.timer(millis(10), () => fired.push(`a at ${clock.now()}`));
    clock.timer(millis(20), () => fired.push("c"));
    expect(clock.pending).toBe(3);
    await clock.advance(millis(15));
    expect(fired).toEqual(["a at 1010"]);
    await clock.advance(millis(5));
    expect(fired).toEqual(["a at 1010", "b at 1020", "c"]);
    expect([clock.now(), clock.monotonic(), clock.pending]).toEqual([1_020, 20, 0]);
  });

  test("fires what a timer starts within the same advance", async () => {
    const clock = createManualClock();
    const fired: number[] = [];
    const again = (): void => {
      fired.push(clock.monotonic());
      if (fired.length < 3) clock.timer(millis(10), again);
    };
    clock.timer(millis(10), again);
    await clock.advance(millis(100));
    expect(fired).toEqual([10, 20, 30]);
  });

  test("lets a timer be taken back, twice and late", async () => {
    const clock = createManualClock();
    let fired = 0;
    const cancel = clock.timer(millis(10), () => (fired += 1));
    cancel();
    cancel();
    await clock.advance(millis(10));
    cancel();
    expect(fired).toBe(0);
  });
});

describe.each([
  ["manual", () => createManualClock()],
  ["real", () => createRealClock()],
])("the %s clock", (_name, create: () => Clock) => {
  test("refuses to sleep for somebody who left, and wakes who leaves", async () => {
    const clock = create();
    const reason = new Error("left");
    await expect(clock.sleep(hours(1), AbortSignal.abort(reason))).rejects.toBe(reason);
    const leaving = new AbortController();
    const sleeping = expect(clock.sleep(hours(1), leaving.signal)).rejects.toBe(reason);
    leaving.abort(reason);
    await sleeping;
    if ("pending" in clock) expect(clock.pending).toBe(0);
  });

  test("has a monotonic time that does not run backwards", () => {
    const clock = create();
    const before = clock.monotonic();
    expect(clock.monotonic()).toBeGreaterThanOrEqual(before);
  });
});

test("the real clock sleeps and wakes", async () => {
  await createRealClock().sleep(millis(0));
});
