import { expect, test } from "vitest";
import { crcOf, crcOverSymbol } from "./crc.ts";
import { encodeCommand, encodeResponse } from "./encode.ts";

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));

const VECTORS: readonly (readonly [string, number])[] = [
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
  ["71 08 B5 09 03 0D 18 00", 0xba],
  ["02 32 02", 0xd5],
  ["31 08 B5 09 01 24", 0x48],
  ["09 00 32 31 31 31 30 31 30 30", 0x67],
  ["71 15 07 04 00", 0x19],
  ["71 08 07 04 00", 0x43],
  ["71 26 07 04 00", 0xae],
  ["71 F6 07 04 00", 0xdb],
  ["00", 0x00],
];

// @proves ebus.crc.vector-ebusd-unit ebus.crc.vector-escapes-in-command ebus.crc.vector-identification ebus.crc.vector-b524-outdoor ebus.crc.vector-b524-outdoor-71
// @proves ebus.crc.vector-escapes-in-response ebus.crc.vector-zone-name ebus.crc.vector-silent-and-existence ebus.crc.vector-date-time-broadcast ebus.crc.vector-identification-ff
// @proves ebus.crc.vector-b511 ebus.crc.vector-b503 ebus.crc.vector-b555-write ebus.crc.vector-b509 ebus.crc.vector-scan-id
// @proves ebus.crc.vector-identification-71 ebus.crc.vector-empty ebus.crc.update
test.each(VECTORS)("the checksum of %s is as captured", (text, crc) => {
  expect(crcOf(bytes(text))).toBe(crc);
});

// @proves ebus.crc.over-escaped
test("feeding the raw form of an escaped byte gives another checksum", () => {
  let crc = 0;
  for (const byte of bytes("10 FE B5 05 04 27 A9 15 AA")) crc = crcOverSymbol(crc, byte);
  expect(crc).toBe(0xb5);
});

// @proves ebus.crc.byte-escaped ebus.frame.command-crc-range
test("a checksum of AA is escaped on the wire", () => {
  const command = { source: 0x71, target: 0x15, primary: 0xb5, secondary: 0x24, data: bytes("02 00 00 00 73 00") };
  expect(Buffer.from(encodeCommand(command)).toString("hex")).toBe("7115b52406020000007300a901");
});

// @proves ebus.frame.nn-zero
test("an empty response is a zero and its zero checksum", () => {
  expect([...encodeResponse(new Uint8Array())]).toEqual([0x00, 0x00]);
});

// @proves ebus.frame.nn-sent-limit ebus.address.escape-bytes-invalid
test("data that does not fit and addresses that cannot be are refused before anything is encoded", () => {
  const base = { source: 0x31, target: 0x15, primary: 7, secondary: 4, data: new Uint8Array() };
  for (const wrong of [
    { source: 0x15 },
    { target: 0xaa },
    { target: 0xa9 },
    { target: 0x31 },
    { data: new Uint8Array(17) },
    { primary: 256 },
  ])
    expect(() => encodeCommand({ ...base, ...wrong })).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

// @proves ebus.crc.table
test("one step from each state is its entry in the table", () => {
  const start = [..."00 9B AD 36 C1 5A 6C F7 19 82 B4 2F D8 43 75 EE".split(" ")].map((text) =>
    Number.parseInt(text, 16),
  );
  expect(start.map((_, state) => crcOverSymbol(state, 0))).toEqual(start);
  expect(crcOverSymbol(0x80, 0)).toBe(0x0b);
  expect(crcOverSymbol(0xff, 0)).toBe(0x7b);
});
