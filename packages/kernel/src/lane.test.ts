import fc from "fast-check";
import { expect, test } from "vitest";
import { createLanes, type Pass } from "./lane.ts";

test("the first enters at once and the next waits until it leaves", async () => {
  const lanes = createLanes();
  const first = await lanes.enter("pump", "live");
  let entered = false;
  const second = lanes.enter("pump", "live").then((pass) => ((entered = true), pass));
  await Promise.resolve();
  expect(entered).toBe(false);
  expect(lanes.counters).toMatchObject({ lanes: 1, waiting: 1 });
  first.leave();
  first.leave();
  (await second).leave();
  expect(lanes.counters).toMatchObject({ lanes: 0, waiting: 0, entered: 2 });
});

test("leaving twice does not let two in", async () => {
  const lanes = createLanes();
  const first = await lanes.enter("pump", "live");
  const entered: number[] = [];
  const others = [1, 2].map((n) => lanes.enter("pump", "live").then((pass) => (entered.push(n), pass)));
  first.leave();
  first.leave();
  await new Promise((resolve) => setImmediate(resolve));
  expect(entered).toEqual([1]);
  (await others[0])?.leave();
  (await others[1])?.leave();
});

test("a running safe effect is not cut by another", async () => {
  const lanes = createLanes();
  const off = await lanes.enter("pump", "safe");
  const stop = lanes.enter("pump", "safe");
  expect(off.cut.aborted).toBe(false);
  off.leave();
  (await stop).leave();
  expect(lanes.counters.cut).toBe(0);
});

test("one that is cancelled while it waits gives its place up", async () => {
  const lanes = createLanes({ liveWaiting: 1 });
  const first = await lanes.enter("pump", "live");
  const leaving = new AbortController();
  const waiting = lanes.enter("pump", "live", leaving.signal);
  await expect(lanes.enter("pump", "live")).rejects.toMatchObject({ code: "LANE_BUSY" });
  leaving.abort();
  await expect(waiting).rejects.toMatchObject({ code: "CANCELLED" });
  const next = lanes.enter("pump", "live");
  first.leave();
  (await next).leave();
  expect(lanes.counters.lanes).toBe(0);
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("enter" as const), target: fc.nat(2), safe: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("leave" as const), target: fc.nat(2), safe: fc.constant(false) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), target: fc.nat(2), safe: fc.boolean() }) },
);

test("in any interleaving: one at a time, safe before live, in order of coming, bounded, and empty at the end", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
      const limit = 3;
      const lanes = createLanes({ liveWaiting: limit });
      interface Held {
        readonly n: number;
        readonly safe: boolean;
        readonly leaving: AbortController;
      }
      const running = new Map<number, Held & { readonly pass: Pass }>();
      const waiting: (Held & { readonly target: number })[] = [];
      let count = 0;
      const settle = async (): Promise<void> => {
        for (let i = 0; i < 5; i += 1) await Promise.resolve();
      };
      const enter = (target: number, safe: boolean): void => {
        const held: Held = { n: (count += 1), safe, leaving: new AbortController() };
        const free = !running.has(target);
        const lives = waiting.filter((each) => each.target === target && !each.safe).length;
        const full = !free && !safe && lives >= limit;
        if (!full) waiting.push({ ...held, target });
        lanes.enter(`t${target}`, safe ? "safe" : "live", held.leaving.signal).then(
          (pass) => {
            expect(full).toBe(false);
            expect(running.has(target)).toBe(false);
            const queue = waiting.filter((each) => each.target === target);
            const next = queue.find((each) => each.safe) ?? queue[0];
            expect(next?.n).toBe(held.n);
            waiting.splice(
              waiting.findIndex((each) => each.n === held.n),
              1,
            );
            running.set(target, { ...held, pass });
          },
          (error: { code: string }) => {
            expect(error.code).toBe(full ? "LANE_BUSY" : "CANCELLED");
          },
        );
        if (safe && !free) expect(running.get(target)?.pass.cut.aborted).toBe(running.get(target)?.safe === false);
      };
      const leave = (target: number): void => {
        const held = running.get(target);
        running.delete(target);
        held?.pass.leave();
      };
      for (const { do: what, target, safe } of steps) {
        if (what === "enter") enter(target, safe);
        else if (what === "leave") leave(target);
        else {
          const at = waiting.findIndex((each) => each.target === target && each.safe === safe);
          if (at >= 0) waiting.splice(at, 1)[0]?.leaving.abort();
        }
        await settle();
        expect(lanes.counters.waiting).toBe(waiting.length);
      }
      while (running.size > 0) {
        for (const target of [...running.keys()]) leave(target);
        await settle();
      }
      expect(waiting).toEqual([]);
      expect(lanes.counters).toMatchObject({ lanes: 0, waiting: 0 });
    }),
    { numRuns: 300 },
  );
});
