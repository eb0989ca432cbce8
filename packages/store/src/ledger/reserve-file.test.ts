import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../test-directory.fixture.ts";
import { openReserveFile, type ReserveFrame } from "./reserve-file.ts";

const frame = (revision: number, text = "x"): ReserveFrame => ({
  base: revision - 1,
  ops: [1, "space", "key", JSON.stringify(text), revision],
  counters: { revision, audit: 0, runs: 0, bus: 0 },
});

function grownReserve(bytes: number) {
  const file = join(temporaryDirectory(), "reserve.bin");
  const reserve = openReserveFile({ file, bytes });
  while (reserve.grow());
  return { file, reserve };
}

// @proves store.disk-full.reserve-64-mib
test("room is taken in steps until all of it is there, and for real", () => {
  const { file, reserve } = grownReserve(64 * 1024 * 1024);
  expect(statSync(file).size).toBe(64 * 1024 * 1024);
  // Blocks of 512 bytes: a sparse file would have hardly any.
  expect(statSync(file).blocks * 512).toBeGreaterThanOrEqual(64 * 1024 * 1024);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(reserve.frames()).toEqual([]);
  reserve.close();
});

test("frames come back after opening again, and writing goes on behind them", () => {
  const { file, reserve } = grownReserve(100_000);
  reserve.append(frame(1));
  reserve.append(frame(2, "ünï"));
  reserve.close();
  const again = openReserveFile({ file, bytes: 100_000 });
  expect(again.frames()).toEqual([frame(1), frame(2, "ünï")]);
  again.append(frame(3));
  expect(again.frames()).toEqual([frame(1), frame(2, "ünï"), frame(3)]);
  again.reset();
  expect(again.frames()).toEqual([]);
  again.append(frame(9));
  expect(again.frames()).toEqual([frame(9)]);
  again.close();
});

test("a frame that was not written to its end does not count, nor what follows it", () => {
  const { file, reserve } = grownReserve(100_000);
  reserve.append(frame(1));
  const secondAt = 8 + 8 + JSON.stringify(frame(1)).length;
  reserve.append(frame(2));
  reserve.append(frame(3));
  reserve.close();
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.from("torn"), 0, 4, secondAt + 20);
  closeSync(handle);
  const again = openReserveFile({ file, bytes: 100_000 });
  expect(again.frames()).toEqual([frame(1)]);
  again.close();
});

test("a reserve that is used up says so, keeps what it has, and never grows beyond its room", () => {
  const { file, reserve } = grownReserve(10_000);
  reserve.append(frame(1, "x".repeat(4_000)));
  reserve.append(frame(2, "x".repeat(4_000)));
  expect(() => reserve.append(frame(3, "x".repeat(4_000)))).toThrow(expect.objectContaining({ code: "ENOSPC" }));
  expect(reserve.frames()).toHaveLength(2);
  expect(statSync(file).size).toBe(10_000);
  expect(reserve.giveBack(5_000)).toBe(false);
  expect(reserve.giveBack(1_000)).toBe(true);
  expect(reserve.frames()).toHaveLength(2);
  reserve.close();
});
