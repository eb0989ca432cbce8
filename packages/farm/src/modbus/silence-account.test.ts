import { createManualClock, millis, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { createSilenceAccount } from "./silence-account.ts";

function account() {
  const clock = createManualClock();
  return { clock, made: createSilenceAccount({ monotonic: () => clock.monotonic(), allowance: millis(1_400) }) };
}

// @proves farm.schedule.neighbours
test("a short silence costs nothing, one that takes time from the others is made up for", async () => {
  const { clock, made } = account();
  made.silent(9, 200, true);
  expect(made.quietFor(9)).toBe(0);
  made.silent(9, 200, true);
  expect(made.quietFor(9)).toBe(0);
  made.silent(9, 1_000, true);
  expect(made.quietFor(9)).toBe(40_000); // a second, at two and a half percent
  await clock.advance(seconds(30));
  expect(made.quietFor(9)).toBe(10_000);
  expect(made.quietFor(1)).toBe(0);
  made.answered(9, 10);
  expect(made.quietFor(9)).toBe(0);
});

// @proves farm.schedule.neighbours
test("what a gateway makes the next unit wait is the silent one's doing, and not more than a minute follows from it", async () => {
  const { clock, made } = account();
  for (let i = 0; i < 10; i += 1) made.answered(1, 20);
  made.silent(9, 200, false);
  expect(made.isBehindAnother).toBe(true);
  made.answered(1, 820); // the gateway waited a second for unit 9, we did not
  expect(made.isBehindAnother).toBe(false);
  expect(made.quietFor(9)).toBe(24_000);
  made.silent(9, 200, false);
  made.answered(1, 820);
  expect(made.quietFor(9)).toBe(60_000);
  await clock.advance(seconds(60));
  expect(made.quietFor(9)).toBe(0);
  made.answered(1, 900); // slow by itself
  expect(made.quietFor(9)).toBe(0);
});
