import { createManualClock, millis, seconds, silentLog } from "@steading/kernel";
import { expect, test } from "vitest";
import { createFarEnd, type FarEnd } from "../testing/memory-link.ts";
import { createConnection } from "./connection.ts";

// @proves ebus.timing.reconnect ebus.timing.reconnect-forever
test("a lost link is tried three times at 2 s, then from 1 s doubling to 30 s, without end", async () => {
  const clock = createManualClock();
  const tries: number[] = [];
  const connection = createConnection({
    clock,
    log: silentLog,
    opened: () => {},
    closed: () => {},
    dial: async () => {
      tries.push(clock.monotonic());
      throw new Error("refused");
    },
  });
  connection.start(new AbortController().signal);
  await clock.advance(seconds(3_600));
  const waits = tries.slice(1).map((at, n) => (at - (tries[n] ?? 0)) / 1_000);
  expect(waits.slice(0, 10)).toEqual([2, 2, 2, 1, 2, 4, 8, 16, 30, 30]);
  expect(tries.length).toBeGreaterThan(110);
  await connection.stop();
  expect(clock.pending).toBe(0);
});

test("a link that was healthy starts the waits over, and stopping closes it", async () => {
  const clock = createManualClock();
  const ends: FarEnd[] = [];
  const connection = createConnection({
    clock,
    log: silentLog,
    opened: () => connection.healthy(),
    closed: () => {},
    dial: async () => {
      const far = createFarEnd();
      ends.push(far);
      return far.link;
    },
  });
  connection.start(new AbortController().signal);
  for (let n = 1; n <= 6; n += 1) {
    await clock.advance(millis(0));
    expect(ends).toHaveLength(n);
    ends.at(-1)?.hangUp();
    await clock.advance(seconds(2));
  }
  const stopped = connection.stop();
  await stopped;
  expect(ends.at(-1)?.closed).toBe(true);
  expect(clock.pending).toBe(0);
});
