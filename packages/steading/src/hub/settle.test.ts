import { createManualClock, millis, seconds, type Health } from "@steading/kernel";
import { expect, test } from "vitest";
import { settle } from "./settle.ts";

function watched(health: () => Health) {
  const clock = createManualClock();
  const stop = new AbortController();
  let settled = false;
  const done = settle({ parts: [{ health }], clock, signal: stop.signal }).then(() => (settled = true));
  return { clock, stop, done, settled: () => settled };
}

test("a part that comes up is waited for, and no longer", async () => {
  let health: Health = { status: "down" };
  const { clock, done, settled } = watched(() => health);
  await clock.advance(millis(200));
  expect(settled()).toBe(false);
  health = { status: "degraded" };
  await clock.advance(millis(50));
  await done;
});

test("one that stays down is waited for a second at most, and a stop ends the waiting", async () => {
  const down = watched(() => ({ status: "down" }));
  await down.clock.advance(seconds(2));
  await down.done;
  const stopped = watched(() => ({ status: "down" }));
  stopped.stop.abort();
  await stopped.clock.advance(millis(50));
  await stopped.done;
});
