import { createManualClock } from "@steading/kernel";
import { expect, test } from "vitest";
import { createInfoReader } from "./enh-info.ts";

// @proves ebus.info.new-request-ends-old
test("a question ends the one before it, and the answer goes to the newer", async () => {
  const clock = createManualClock();
  const asked: number[] = [];
  const reader = createInfoReader({ clock, request: (id) => asked.push(id) });
  const first = reader.ask(3);
  reader.byte(2);
  reader.byte(0);
  const second = reader.ask(4);
  expect(await first).toBeUndefined();
  for (const byte of [2, 0x13, 0x24]) reader.byte(byte);
  expect(await second).toEqual(Uint8Array.of(0x13, 0x24));
  expect(asked).toEqual([3, 4]);
  expect(clock.pending).toBe(0);
});
