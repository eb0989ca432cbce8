import { expect, test } from "vitest";
import { createRealHouseClock } from "./clock.ts";
import { CAPTURE_MOMENT, createManualHouseClock } from "./manual-clock.ts";

test("timers fire in order, each at its own moment, those made on the way too", () => {
  const clock = createManualHouseClock();
  const fired: [string, number][] = [];
  const note = (name: string) => (): void => void fired.push([name, clock.now() - CAPTURE_MOMENT]);
  clock.timer(20, note("b"));
  clock.timer(10, () => {
    note("a")();
    clock.timer(5, note("a+5"));
  });
  clock.timer(20, note("c"));
  clock.timer(15, note("never"))();
  clock.advance(30);
  expect(fired).toEqual([
    ["a", 10],
    ["a+5", 15],
    ["b", 20],
    ["c", 20],
  ]);
  expect([clock.now() - CAPTURE_MOMENT, clock.pending]).toEqual([30, 0]);
});

test("a run that waits for what never comes ends", async () => {
  await expect(createManualHouseClock().run(() => false, { limitMs: 20 })).rejects.toThrow("20 ms");
});

test("the machine's clock fires, takes back, and runs faster when told so", async () => {
  const clock = createRealHouseClock({ speed: 1_000 });
  clock.timer(1, () => expect.unreachable("it was taken back"))();
  clock.timer(60_000, () => expect.unreachable("it was taken back"))();
  const before = clock.now();
  await new Promise<void>((resolve) => void clock.timer(2_000, resolve));
  await new Promise<void>((resolve) => void clock.timer(0, resolve));
  expect(clock.now()).toBeGreaterThan(before);
});
