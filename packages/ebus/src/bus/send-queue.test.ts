import { createManualClock, millis, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import type { CarryOptions } from "./carrier.ts";
import type { ExchangeResult } from "./exchange-result.ts";
import { createSendQueue, type QueuedRequest } from "./send-queue.ts";

const DONE: ExchangeResult = { outcome: "success", reason: "done", transmissions: 1, acknowledged: true };

function queued(options: { readonly limit?: number } = {}) {
  const clock = createManualClock();
  const carried: { readonly target: number; readonly options: CarryOptions; finish(result?: ExchangeResult): void }[] =
    [];
  const queue = createSendQueue({
    clock,
    ...options,
    carrier: () => ({
      carry: ({ target }, given) =>
        new Promise((resolve) => carried.push({ target, options: given, finish: (result = DONE) => resolve(result) })),
    }),
  });
  const ask = (target: number, more: Partial<QueuedRequest> = {}) =>
    queue.submit({
      command: { source: 0x71, target, primary: 7, secondary: 4, data: new Uint8Array() },
      priority: "poll",
      read: true,
      deadline: clock.monotonic() + 2_000,
      ...more,
    });
  const order = async (): Promise<number[]> => {
    for (let n = 0; n < carried.length; n += 1) {
      carried[n]?.finish();
      await clock.advance(millis(0));
    }
    return carried.map(({ target }) => target);
  };
  return { clock, carried, queue, ask, order };
}

test("writes go before calls, calls before polls, polls before scans, and equals in order", async () => {
  const { ask, order, clock } = queued();
  void ask(1);
  for (const [target, priority] of [
    [2, "scan"],
    [3, "poll"],
    [4, "call"],
    [5, "write"],
    [6, "poll"],
  ] as const)
    void ask(target, { priority });
  expect(await order()).toEqual([1, 5, 4, 3, 6, 2]);
  expect(clock.pending).toBe(0);
});

// @proves ebus.timing.queue-limit
test("sixty-four wait, and the next one is refused as QueueFull", async () => {
  const { ask, queue } = queued();
  void ask(0); // under way
  for (let target = 1; target <= 64; target += 1) void ask(target);
  expect(queue.waiting).toBe(64);
  await expect(ask(65)).rejects.toMatchObject({ code: "BUS_UNAVAILABLE", details: { reason: "QueueFull" } });
  expect(queue.counters.refused).toBe(1);
  queue.clear();
});

test("equal reads share one telegram, under way or waiting, and equal writes never do", async () => {
  const { ask, order, queue } = queued();
  const reads = [ask(1), ask(1), ask(2), ask(2)];
  const writes = [ask(3, { read: false }), ask(3, { read: false })];
  expect(await order()).toEqual([1, 2, 3, 3]);
  expect(await Promise.all([...reads, ...writes])).toEqual(Array.from({ length: 6 }, () => DONE));
  expect(queue.counters).toMatchObject({ coalesced: 2, sent: 4 });
});

test("a fresh read is not satisfied by what is on its way already", async () => {
  const { ask, order } = queued();
  void ask(1);
  void ask(1, { fresh: true });
  expect(await order()).toEqual([1, 1]);
});

test("a shared read takes over the higher priority", async () => {
  const { ask, order } = queued();
  void ask(1);
  void ask(2);
  void ask(3, { priority: "scan" });
  void ask(3, { priority: "call" });
  expect(await order()).toEqual([1, 3, 2]);
});

test("who waits too long leaves with nothing sent, and who still waits gets its answer", async () => {
  const { clock, ask, carried, queue } = queued();
  void ask(1, { deadline: 60_000 });
  const impatient = ask(2, { deadline: 1_000 });
  const patient = ask(2, { deadline: 9_000 });
  await clock.advance(seconds(1));
  expect(await impatient).toMatchObject({ outcome: "timeout", transmissions: 0 });
  carried[0]?.finish();
  await clock.advance(millis(0));
  carried[1]?.finish();
  expect(await patient).toEqual(DONE);
  expect(queue.counters.expired).toBe(1);
});

test("a read that everybody gave up is not sent", async () => {
  const { clock, ask, order } = queued();
  void ask(1);
  const abort = new AbortController();
  const given = ask(2, { signal: abort.signal });
  abort.abort();
  expect(await given).toMatchObject({ reason: "cancelled", transmissions: 0 });
  expect(await order()).toEqual([1]);
  expect(clock.pending).toBe(0);
});
