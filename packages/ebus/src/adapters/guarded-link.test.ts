import { createManualClock, millis } from "@steading/kernel";
import { expect, test } from "vitest";
import { createFarEnd } from "../testing/memory-link.ts";
import { guardLink } from "./guarded-link.ts";

function guard() {
  const clock = createManualClock();
  const far = createFarEnd();
  const told: unknown[] = [];
  const guarded = guardLink({ link: far.link, clock, failed: (cause) => void told.push(cause) });
  return { clock, far, told, guarded };
}
const fault = new Error("a fault of ours");
const fail = (): never => {
  throw fault;
};

test("what the reader of a piece throws is told once and closes the link, and nothing more is read", () => {
  const { far, told, guarded } = guard();
  let pieces = 0;
  guarded.link.onPiece(() => {
    pieces += 1;
    fail();
  });
  far.say("AA");
  far.say("AA");
  expect(told).toEqual([fault]);
  expect(pieces).toBe(1);
  expect(far.closed).toBe(true);
});

test("what a timer throws closes the link, and the other timers stay silent", async () => {
  const { clock, far, told, guarded } = guard();
  let fired = 0;
  guarded.clock.timer(millis(10), fail);
  guarded.clock.timer(millis(20), () => (fired += 1));
  await clock.advance(millis(30));
  expect([told, fired, far.closed]).toEqual([[fault], 0, true]);
});

test("a link that cannot be written to is closed instead of failing whoever writes", () => {
  const clock = createManualClock();
  const far = createFarEnd();
  const told: unknown[] = [];
  const { link } = guardLink({ link: { ...far.link, write: fail }, clock, failed: (cause) => void told.push(cause) });
  link.write(Uint8Array.of(0xaa));
  expect([told, far.closed]).toEqual([[fault], true]);
});
