import { expect, test } from "vitest";
import { bcd, hcd, PIN } from "./decimal-types.ts";
import { BDA, BDA3, BDZ, DAY, DTM, HDA, HDA3 } from "./date-types.ts";
import * as n from "./number-types.ts";
import { bits, BDY, HDY, hex, ign, nts, str } from "./text-types.ts";
import { BTI, BTM, HTI, HTM, MIN, TTH, TTM, TTQ, VTI, VTM } from "./time-types.ts";

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));
const october = { year: 2014, month: 10, day: 26 };
const at = (hour: number, minute: number, second = 0) => ({ hour, minute, second });

/** Any data type, as a table of different ones can hold it. */
interface AnyType {
  decode(raw: Uint8Array): unknown;
  encode(value: never): Uint8Array;
}

const EXACT: readonly (readonly [AnyType, string, unknown])[] = [
  [n.UCH, "26", 38],
  [n.SCH, "A6", -90],
  [n.D1B, "A6", -90],
  [n.D1C, "27", 19.5],
  [n.D1C, "C8", 100],
  [n.D2C, "01 12", 288.0625],
  [n.D2C, "F0 FF", -1],
  [n.D2C, "32 02", 35.125],
  [n.EXP, "EC 51 B8 BD", -0.09],
  [n.EXP, "00 00 80 3E", 0.25],
  [n.EXP, "33 33 73 3F", 0.95],
  [n.EXP, "68 11 03 C2", -32.767],
  [n.EXP, "00 00 88 40", 4.25],
  [n.EXR, "40 88 00 00", 4.25],
  [bcd(1), "26", 26],
  [bcd(2), "26 01", 126],
  [bcd(3), "46 23 01", 12346],
  [bcd(4), "67 45 23 01", 1234567],
  [n.FLT, "18 FC", -1],
  [n.FLT, "E7 03", 0.999],
  [n.UIR, "01 02", 258],
  [n.SIR, "FF FE", -2],
  [hcd(1), "1A", 26],
  [hcd(2), "1A 01", 126],
  [hcd(3), "2E 17 01", 12346],
  [hcd(4), "43 2D 17 01", 1234567],
  [PIN, "12 34", "1234"],
  [BDA, "26 10 07 14", october],
  [BDA3, "26 10 14", october],
  [BDZ, "26 10 06 14", october],
  [HDA, "1A 0A 07 0E", october],
  [HDA3, "1A 0A 0E", october],
  [HDA3, "05 03 1A", { year: 2026, month: 3, day: 5 }],
  [HDA3, "0F 02 1B", { year: 2027, month: 2, day: 15 }],
  [HDA3, "01 01 0F", { year: 2015, month: 1, day: 1 }],
  [DAY, "D0 A3", october],
  [DTM, "73 12 80 00", "2024-12-16T16:51"],
  [BTI, "58 04 21", at(21, 4, 58)],
  [HTI, "15 04 3A", at(21, 4, 58)],
  [HTI, "10 00 2C", at(16, 0, 44)],
  [VTI, "3A 04 15", at(21, 4, 58)],
  [BTM, "04 21", at(21, 4)],
  [HTM, "15 04", at(21, 4)],
  [HTM, "18 00", at(24, 0)],
  [VTM, "04 15", at(21, 4)],
  [MIN, "F0 04", at(21, 4)],
  [TTM, "88", at(22, 40)],
  [TTH, "2D", at(22, 30)],
  [TTQ, "5A", at(22, 30)],
  [BDY, "06", 6],
  [HDY, "07", 6],
  [str(5), "45 74 61 6A 20", "Etaj"],
  [nts(5), "45 74 61 6A 00", "Etaj"],
  [hex(2), "A9 AA", "A9AA"],
  [bits(3, 2), "18", 3],
];

// @proves ebus.type.uch ebus.type.signed-byte ebus.type.d1c ebus.type.d2c ebus.type.exp
// @proves ebus.type.exr ebus.type.bcd ebus.type.pin ebus.type.bda ebus.type.bda3-bdz
// @proves ebus.type.hda ebus.type.day-dtm ebus.type.bti-hti-vti ebus.type.btm-htm-vtm ebus.type.min
// @proves ebus.type.flt ebus.type.uir-sir
// @proves ebus.type.ttm-tth-ttq ebus.type.weekdays ebus.type.strings ebus.type.b524-date-binary ebus.type.b524-time-binary
test.each(EXACT)("%o reads and writes %s", (type, text, value) => {
  expect(type.decode(bytes(text))).toEqual(value);
  // Each row pairs a type with its own values; the table itself cannot say so.
  expect([...type.encode(value as never)]).toEqual([...bytes(text)]);
});

// @proves ebus.type.d2b
test("fractions of 256 read close to what the vectors say", () => {
  expect(n.D2B.decode(bytes("01 12"))).toBeCloseTo(18.004, 3);
  expect(n.D2B.decode(bytes("FF 7F"))).toBeCloseTo(127.996, 3);
  expect(n.D2B.decode(bytes("01 80"))).toBeCloseTo(-127.996, 3);
});

// @proves ebus.type.replacement-is-null ebus.type.exp-nan ebus.type.uin-sin ebus.type.wide-integers
test.each([
  [n.UCH, "FF"],
  [n.SCH, "80"],
  [n.D1C, "FF"],
  [n.D2B, "00 80"],
  [n.D2C, "00 80"],
  [n.FLT, "00 80"],
  [n.UIN, "FF FF"],
  [n.SIN, "00 80"],
  [n.UIR, "FF FF"],
  [n.SIR, "80 00"],
  [n.U3N, "FF FF FF"],
  [n.S3N, "00 00 80"],
  [n.ULG, "FF FF FF FF"],
  [n.SLG, "00 00 00 80"],
  [n.EXP, "00 00 C0 7F"],
  [n.EXP, "FF FF FF 7F"],
  [bcd(2), "FF FF"],
  [BDA, "FF FF FF FF"],
  [HTI, "FF FF FF"],
  [VTI, "63 63 63"],
  [MIN, "FF FF"],
  [TTM, "90"],
  [TTH, "00"],
  [BDY, "07"],
  [HDY, "00"],
] as const)("the replacement value of $name is no value", (type, text) => {
  expect(type.decode(bytes(text))).toBeNull();
});

// @proves ebus.type.hcd
test("base-100 bytes have no replacement: FF is an error, and 99 a number", () => {
  expect(hcd(1).decode(bytes("63"))).toBe(99);
  expect(() => hcd(1).decode(bytes("FF"))).toThrow(expect.objectContaining({ code: "PROTOCOL_ERROR" }));
});

// @proves ebus.type.encode-rejects-non-finite ebus.type.encode-rejects-out-of-range ebus.type.encode-rounds
test("what a type cannot hold is refused, what lies between two steps is rounded", () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1e9]) {
    expect(() => n.D2C.encode(value)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  }
  expect(() => n.EXP.encode(Number.NaN)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  expect(() => HDA3.encode({ year: 2026, month: 2, day: 30 })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
  expect(() => TTQ.encode(at(22, 31))).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  expect(n.D2C.decode(n.D2C.encode(55.1))).toBe(55.125);
});

test("bytes that mean nothing in a type are an error, not a guess", () => {
  expect(() => bcd(1).decode(bytes("1A"))).toThrow(expect.objectContaining({ code: "PROTOCOL_ERROR" }));
  expect(() => BTM.decode(bytes("60 12"))).toThrow(expect.objectContaining({ code: "PROTOCOL_ERROR" }));
  expect(() => BDA.decode(bytes("31 02 01 14"))).toThrow(expect.objectContaining({ code: "PROTOCOL_ERROR" }));
});

// @proves ebus.type.raw-and-bits
test("raw bytes stay as they are, ignored ones say nothing, and each bit is read by itself", () => {
  expect(hex(3).decode(bytes("00 A9 AA"))).toBe("00A9AA");
  expect(ign(2).decode(bytes("12 34"))).toBeNull();
  expect([...ign(2).encode(null)]).toEqual([0, 0]);
  for (const bit of [0, 1, 2, 3, 4, 5, 6, 7] as const) {
    expect(bits(bit).decode(Uint8Array.of(1 << bit))).toBe(1);
    expect(bits(bit).decode(Uint8Array.of(0xff ^ (1 << bit)))).toBe(0);
  }
});
