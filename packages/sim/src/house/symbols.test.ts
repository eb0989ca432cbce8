import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromHex, toHex } from "./hex.ts";
import { createPartReader, type PartState } from "./part-reader.ts";
import { crcOf, crcStep, escapeBytes, toWire } from "./symbols.ts";

describe("the checksum", () => {
  test("its table begins as printed", () => {
    const table = Array.from({ length: 16 }, (_, index) => crcStep(index, 0));
    expect(toHex(table)).toBe("00 9B AD 36 C1 5A 6C F7 19 82 B4 2F D8 43 75 EE");
    expect([crcStep(0x80, 0), crcStep(0xff, 0)]).toEqual([0x0b, 0x7b]);
  });

  test.each([
    ["01 02", 0x99],
    ["10 FE B5 05 04 27 A9 15 AA", 0x77],
    ["31 15 07 04 00", 0x8b],
    ["0A B5 42 41 53 56 32 05 07 17 04", 0x71],
    ["31 15 B5 24 06 02 00 00 00 73 00", 0x9e],
    ["71 15 B5 24 06 02 00 00 00 73 00", 0xaa],
    ["08 01 00 73 00 00 00 88 40", 0xe2],
    ["08 01 00 56 00 A9 AA 00 00", 0xf4],
    ["09 03 03 16 00 45 74 61 6A 00", 0x1a],
    ["31 50 07 04 00", 0x73],
    ["31 FE 07 FE 00", 0x35],
    ["10 FE 07 00 09 40 04 58 04 21 26 10 07 14", 0xed],
    ["FF 08 07 04 00", 0x51],
    ["10 08 B5 11 01 01", 0x89],
    ["09 31 30 00 80 30 FF 00 01 FF", 0x23],
    ["F1 08 B5 03 02 00 01", 0x3d],
    ["0A 19 01 FF FF FF FF FF FF FF FF", 0xbd],
    ["F1 15 B5 55 0C A6 00 00 00 00 02 00 00 06 00 18 01", 0xae],
    ["01 00", 0x9b],
    ["31 08 B5 09 03 0D 18 00", 0x36],
    ["02 32 02", 0xd5],
    ["31 08 B5 09 01 24", 0x48],
    ["09 00 32 31 31 31 30 31 30 30", 0x67],
    ["71 15 07 04 00", 0x19],
    ["71 08 07 04 00", 0x43],
    ["71 26 07 04 00", 0xae],
    ["71 F6 07 04 00", 0xdb],
    ["00", 0x00],
    ["10 FE B5 16 0B 03 00 FF 04 04 00 32 00 E4 40 46", 0xe7],
  ])("of %s", (bytes, crc) => {
    expect(crcOf(fromHex(bytes))).toBe(crc);
  });

  test("a checksum of AA is escaped on the wire", () => {
    expect(toHex(toWire([...fromHex("71 15 B5 24 06 02 00 00 00 73 00")]).slice(-2))).toBe("A9 01");
  });
});

const part = (header: number): fc.Arbitrary<number[]> =>
  fc
    .tuple(
      fc.array(fc.nat(255), { minLength: header - 1, maxLength: header - 1 }),
      fc.array(fc.nat(255), { maxLength: 31 }),
    )
    .map(([before, data]) => [...before, data.length, ...data]);

function read(wire: readonly number[], headerLength: 1 | 5): { last: PartState; bytes: readonly number[] } {
  const reader = createPartReader({ headerLength });
  let last: PartState = { kind: "more" };
  for (const symbol of wire) last = reader.push(symbol);
  return { last, bytes: reader.bytes };
}

describe("reading a part", () => {
  test("any command and any response comes back as it was sent, and no wire form holds a SYN", () => {
    fc.assert(
      fc.property(fc.constantFrom(1 as const, 5 as const), fc.context(), (headerLength, context) => {
        fc.assert(
          fc.property(part(headerLength), (bytes) => {
            const wire = toWire(bytes);
            context.log(toHex(wire));
            expect(wire).not.toContain(0xaa);
            expect(read(wire, headerLength)).toEqual({ last: { kind: "whole", crcOk: true }, bytes });
          }),
        );
      }),
      { numRuns: 2 },
    );
  });

  test("a wrong checksum is told from a right one", () => {
    const bytes = [...fromHex("71 15 07 04 00")];
    expect(read(escapeBytes([...bytes, 0x18]), 5).last).toEqual({ kind: "whole", crcOk: false });
  });

  test("an escape that does not exist and a length over 31 are corrupt", () => {
    expect(read([0x71, 0xa9, 0x02], 5).last).toEqual({ kind: "corrupt" });
    expect(read([0x20], 1).last).toEqual({ kind: "corrupt" });
    expect(read([0x1f], 1).last).toEqual({ kind: "more" });
  });
});
