import { createManualClock, millis, seconds } from "@steading/kernel";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createPace } from "./paced.ts";

function setUp(perSecond?: number, paused = false, mostHeld = 10) {
  const clock = createManualClock();
  const heard: string[] = [];
  const pace = createPace({ clock, perSecond, mostHeld })<string>({
    paused,
    send: (notice) => void heard.push(notice),
  });
  return { clock, heard, pace };
}

// @proves farm.subscription.session-rate
test("what comes too fast becomes the last notice of each kind, as soon as there is room", async () => {
  const { clock, heard, pace } = setUp(3);
  for (let n = 0; n < 9; n++) pace.say(n % 2 === 0 ? "even" : "odd", String(n));
  expect(heard).toEqual(["0", "1", "2"]);
  await clock.advance(millis(999));
  expect(heard).toHaveLength(3);
  await clock.advance(millis(1));
  expect(heard).toEqual(["0", "1", "2", "7", "8"]);
  expect(clock.pending).toBe(0);
});

test("without a bound everything is said at once", () => {
  const { clock, heard, pace } = setUp();
  for (let n = 0; n < 100; n++) pace.say("same", String(n));
  expect(heard).toHaveLength(100);
  expect(clock.pending).toBe(0);
});

// @proves farm.subscription.session-rate
test("no second has more notices than the bound, and the last of each kind is always told", async () => {
  const step = fc.record({ kind: fc.constantFrom("a", "b", "c"), wait: fc.nat(700) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), async (steps, perSecond) => {
      const clock = createManualClock();
      const told: { at: number; kind: string; n: number }[] = [];
      const pace = createPace({ clock, perSecond, mostHeld: 10 })<{ kind: string; n: number }>({
        send: (notice) => void told.push({ at: clock.monotonic(), ...notice }),
      });
      for (const [n, { kind, wait }] of steps.entries()) {
        pace.say(kind, { kind, n });
        await clock.advance(millis(wait));
      }
      await clock.advance(seconds(10));
      for (const { at } of told)
        expect(told.filter((other) => other.at >= at && other.at < at + 1_000).length).toBeLessThanOrEqual(perSecond);
      for (const kind of ["a", "b", "c"]) {
        const last = steps.findLastIndex((each) => each.kind === kind);
        if (last >= 0) expect(told.findLast((each) => each.kind === kind)?.n).toBe(last);
      }
    }),
  );
});

test("while nobody listens the last notice of each kind is kept, and told on resuming", () => {
  const { heard, pace } = setUp(20, true);
  pace.say("a", "a1");
  pace.say("b", "b1");
  pace.say("a", "a2");
  expect(heard).toEqual([]);
  pace.resume();
  expect(heard).toEqual(["a2", "b1"]);
  pace.say("a", "a3");
  pace.pause();
  pace.say("a", "a4");
  pace.resume();
  pace.resume();
  expect(heard).toEqual(["a2", "b1", "a3", "a4"]);
});

test("no more kinds are kept than a client can ask for, and one that is gone leaves nothing", () => {
  const { clock, heard, pace } = setUp(1, true, 3);
  for (const kind of ["a", "b", "c", "d"]) pace.say(kind, kind);
  pace.resume();
  expect(heard).toEqual(["b"]);
  expect(clock.pending).toBe(1);
  pace.stop();
  expect(clock.pending).toBe(0);
});

test("a client that goes while it is told what was held hears no more", () => {
  const heard: string[] = [];
  const pace = createPace({ clock: createManualClock(), mostHeld: 3 })<string>({
    paused: true,
    send(notice) {
      heard.push(notice);
      pace.stop();
    },
  });
  for (const kind of ["a", "b"]) pace.say(kind, kind);
  pace.resume();
  expect(heard).toEqual(["a"]);
});
