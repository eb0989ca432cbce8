import { seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { createBackOff } from "./back-off.ts";

test("the first attempt comes at once, later ones double up to the cap", () => {
  const backOff = createBackOff({ first: seconds(10), most: seconds(60), random: () => 0 });
  expect(Array.from({ length: 6 }, () => backOff.next())).toEqual([0, 10_000, 20_000, 40_000, 60_000, 60_000]);
  backOff.reset();
  expect(backOff.next()).toBe(0);
});

test("jitter shortens a wait by at most a half", () => {
  const backOff = createBackOff({ first: seconds(10), most: seconds(60), random: () => 1 });
  backOff.next();
  expect(backOff.next()).toBe(5_000);
});
