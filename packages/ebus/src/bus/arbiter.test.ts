import { createManualClock, millis } from "@steading/kernel";
import { expect, test } from "vitest";
import { createArbiter } from "./arbiter.ts";

/** At which SYN after the event, 40 ms apart, the bus may be asked for. */
async function firstChance(lose: (arbiter: ReturnType<typeof createArbiter>) => void, apart = 40): Promise<number> {
  const clock = createManualClock();
  const arbiter = createArbiter({ clock });
  lose(arbiter);
  for (let syn = 1; syn < 50; syn += 1) {
    await clock.advance(millis(apart));
    if (arbiter.onSyn()) return syn;
  }
  return Infinity;
}

// @proves ebus.arbitration.retry-other-class ebus.arbitration.lock-counter
test("after losing to another class two SYN pass, after garbage one", async () => {
  expect(await firstChance((arbiter) => arbiter.onLost(0x71, 0x10))).toBe(3);
  expect(await firstChance((arbiter) => arbiter.onLost(0x71, 0x03))).toBe(3);
  expect(await firstChance((arbiter) => arbiter.onLost(0x71, 0x42), 60)).toBe(2);
});

// @proves ebus.arbitration.retry-same-class
test("after losing within the class the very next SYN will do", async () => {
  expect(await firstChance((arbiter) => arbiter.onLost(0x71, 0x31))).toBe(1);
});

// @proves ebus.timing.collision-backoff
test("after a collision 50 ms pass, however many SYN there are", async () => {
  expect(await firstChance((arbiter) => arbiter.onLost(0x71, 0x10), 5)).toBe(10);
  expect(await firstChance((arbiter) => arbiter.onLost(0x71, undefined), 5)).toBe(10);
});

test("a known device that did not answer is given time, an unknown one two SYN", async () => {
  expect(await firstChance((arbiter) => arbiter.onTimeout(true))).toBe(7);
  expect(await firstChance((arbiter) => arbiter.onTimeout(false))).toBe(3);
});
