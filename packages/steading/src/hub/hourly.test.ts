import { createManualClock, hours, minutes, silentLog } from "@steading/kernel";
import { expect, test } from "vitest";
import { hourly } from "./hourly.ts";

test("it is done every hour, also after it failed, until it is cancelled", async () => {
  const clock = createManualClock();
  let times = 0;
  const cancel = hourly({
    clock,
    log: silentLog,
    what: "It could not be done.",
    work: () => (++times === 1 ? Promise.reject(new Error("not this time")) : Promise.resolve()),
  });
  await clock.advance(minutes(59));
  expect(times).toBe(0);
  await clock.advance(hours(2));
  expect(times).toBe(2);
  cancel();
  await clock.advance(hours(5));
  expect(times).toBe(2);
});
