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
  const waiting = lanes.enter("pump", "live", { signal: leaving.signal });
  await expect(lanes.enter("pump", "live")).rejects.toMatchObject({ code: "LANE_BUSY" });
  leaving.abort();
  await expect(waiting).rejects.toMatchObject({ code: "CANCELLED" });
  const next = lanes.enter("pump", "live");
  first.leave();
  (await next).leave();
  expect(lanes.counters.lanes).toBe(0);
});

test("what waits to go on is taken back when something later makes the same thing safe, and nothing else is", async () => {
  const lanes = createLanes();
  const first = await lanes.enter("board", "live", { things: ["1"] });
  const taken = [["2"], ["3", "4"]].map((things) => lanes.enter("board", "live", { things }));
  const other = lanes.enter("board", "live", { things: ["5"] });
  const off = lanes.enter("board", "safe", { things: ["2", "4"] });
  const later = lanes.enter("board", "live", { things: ["2"] });
  for (const each of taken) await expect(each).rejects.toMatchObject({ code: "SUPERSEDED", retryable: false });
  first.leave();
  for (const turn of [off, other, later]) (await turn).leave();
  expect(lanes.counters).toMatchObject({ superseded: 2, overtaken: 1, waiting: 0, lanes: 0 });
});

test("a second look goes behind everything that sends and stops for any of it", async () => {
  const lanes = createLanes();
  const look = await lanes.enter("pump", "look");
  const order: string[] = [];
  const entering = (["look", "live", "safe"] as const).map((kind) => {
    const turn = lanes.enter("pump", kind).then((pass) => (order.push(kind), pass));
    expect(look.cut.aborted).toBe(kind !== "look");
    return turn;
  });
  look.leave();
  for (const turn of entering.toReversed()) (await turn).leave();
  expect(order).toEqual(["safe", "live", "look"]);
  expect(lanes.counters).toMatchObject({ lanes: 0, waiting: 0, cut: 1 });
});

test("a second look does not stop a live effect's own looking", async () => {
  const lanes = createLanes();
  const on = await lanes.enter("pump", "live");
  const look = lanes.enter("pump", "look");
  expect(on.cut.aborted).toBe(false);
  on.leave();
  (await look).leave();
});

const KINDS = ["safe", "live", "look"] as const;
const kind = fc.constantFrom(...KINDS);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("enter" as const), target: fc.nat(2), kind }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("leave" as const), target: fc.nat(2), kind }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), target: fc.nat(2), kind }) },
);

test("in any interleaving: one at a time, safe, live, looks, in order of coming, bounded, and empty at the end", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
      const limit = 3;
      const lanes = createLanes({ liveWaiting: limit });
      interface Held {
        readonly n: number;
        readonly kind: (typeof KINDS)[number];
        readonly leaving: AbortController;
      }
      const running = new Map<number, Held & { readonly pass: Pass }>();
      const waiting: (Held & { readonly target: number })[] = [];
      let count = 0;
      const settle = async (): Promise<void> => {
        for (let i = 0; i < 5; i += 1) await Promise.resolve();
      };
      const enter = (target: number, own: Held["kind"]): void => {
        const held: Held = { n: (count += 1), kind: own, leaving: new AbortController() };
        const free = !running.has(target);
        const lives = waiting.filter((each) => each.target === target && each.kind === "live").length;
        const full = !free && own === "live" && lives >= limit;
        if (!full) waiting.push({ ...held, target });
        lanes.enter(`t${target}`, own, { signal: held.leaving.signal }).then(
          (pass) => {
            expect(full).toBe(false);
            expect(running.has(target)).toBe(false);
            const queue = waiting.filter((each) => each.target === target);
            const next = KINDS.map((each) => queue.find((other) => other.kind === each)).find((each) => each);
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
        const busy = running.get(target);
        if (busy?.kind === "safe") expect(busy.pass.cut.aborted).toBe(false);
        if (busy && !full && KINDS.indexOf(own) < KINDS.indexOf(busy.kind)) expect(busy.pass.cut.aborted).toBe(true);
      };
      const leave = (target: number): void => {
        const held = running.get(target);
        running.delete(target);
        held?.pass.leave();
      };
      for (const { do: what, target, kind: own } of steps) {
        if (what === "enter") enter(target, own);
        else if (what === "leave") leave(target);
        else {
          const at = waiting.findIndex((each) => each.target === target && each.kind === own);
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
