import { expect, test } from "vitest";
import { fromHex } from "../testing/memory-link.ts";
import { isKnownRead } from "./read-commands.ts";

const asked = (hex: string): boolean => {
  const [primary = 0, secondary = 0, ...data] = fromHex(hex);
  return isKnownRead({ primary, secondary, data: Uint8Array.from(data) });
};

test("questions are known, and everything that may change something is not among them", () => {
  for (const read of [
    "0704",
    "b5090d1800",
    "b50924",
    "b524020003002200",
    "b52403010001 00",
    "b555a5000000 00",
    "b5030001",
  ])
    expect(asked(read), read).toBe(true);
  // Writes of registers, timers and modes, the clearing of errors, and whatever nobody has looked at.
  for (const other of [
    "b5090e040f",
    "b524020103002200",
    "b52406010a",
    "b52404",
    "b555a6",
    "b5030201",
    "b5050201",
    "b51000",
    "b51202fe",
    "0500",
  ])
    expect(asked(other), other).toBe(false);
});
