import { expect, test } from "vitest";
import {
  companionInitiator,
  companionTarget,
  initiatorNumber,
  INITIATORS,
  isInitiator,
  isTarget,
} from "./addresses.ts";

const ALL = Array.from({ length: 256 }, (_, address) => address);

// @proves ebus.address.initiators ebus.address.targets
test("there are exactly 25 initiators and 228 targets", () => {
  expect(ALL.filter(isInitiator)).toHaveLength(25);
  expect(ALL.filter(isTarget)).toHaveLength(228);
  expect(INITIATORS.map((a) => a.toString(16).padStart(2, "0")).join(" ")).toBe(
    "00 10 30 70 f0 01 11 31 71 f1 03 13 33 73 f3 07 17 37 77 f7 0f 1f 3f 7f ff",
  );
});

// @proves ebus.address.companion-table ebus.address.reverse-companion ebus.address.reverse-companion-none
test("every initiator answers at its companion, which leads back to it", () => {
  const table =
    "00>05 10>15 30>35 70>75 F0>F5 01>06 11>16 31>36 71>76 F1>F6 03>08 13>18 33>38 73>78 F3>F8 07>0C 17>1C 37>3C 77>7C F7>FC 0F>14 1F>24 3F>44 7F>84 FF>04";
  for (const row of table.split(" ")) {
    const [initiator = 0, target = 0] = row.split(">").map((text) => Number.parseInt(text, 16));
    expect(companionTarget(initiator)).toBe(target);
    expect(companionInitiator(target)).toBe(initiator);
  }
  expect(companionInitiator(0x26)).toBeUndefined();
  expect(companionInitiator(0xec)).toBeUndefined();
});

// @proves ebus.address.ebusd-number
test("initiators are numbered by class, then by sub address", () => {
  expect([0x00, 0x10, 0x31, 0xff].map(initiatorNumber)).toEqual([1, 2, 8, 25]);
  expect(initiatorNumber(0x15)).toBeUndefined();
});

// @proves ebus.address.priority
test("initiators stand in the order in which they win: by low nibble, then by the lower byte", () => {
  const order = ALL.filter(isInitiator).toSorted((a, b) => (a & 0x0f) - (b & 0x0f) || a - b);
  expect(INITIATORS).toEqual(order);
});
