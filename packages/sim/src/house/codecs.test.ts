import { describe, expect, test } from "vitest";
import {
  bda,
  bti,
  d1c,
  d2b,
  d2c,
  f32,
  f32BigEndian,
  hda3,
  hti,
  packedDate,
  readF32,
  readUnsigned,
  toHouseDate,
  u16,
} from "./codecs.ts";
import { fromHex, toHex } from "./hex.ts";

describe("the contract's vectors for what the house encodes", () => {
  test("temperatures", () => {
    expect(toHex([...d1c(19.5), ...d1c(100)])).toBe("27 C8");
    expect(toHex([...d2b(-1), ...d2b(1.5), ...d2b(25.375)])).toBe("00 FF 80 01 60 19");
    expect(toHex([...d2c(288.0625), ...d2c(-1), ...d2c(35.125)])).toBe("01 12 F0 FF 32 02");
    expect(toHex(f32(4.25))).toBe("00 00 88 40");
    expect(toHex(f32(0.25))).toBe("00 00 80 3E");
    expect(toHex(f32(-0.09))).toBe("EC 51 B8 BD");
    expect(toHex(f32BigEndian(4.25))).toBe("40 88 00 00");
  });

  test("no value", () => {
    expect(toHex([...d1c(null), ...d2b(null), ...d2c(null), ...f32(null)])).toBe("FF 00 80 00 80 FF FF FF 7F");
    expect(readF32(fromHex("FF FF FF 7F"))).toBeNull();
    expect(readF32(fromHex("00 00 C0 7F"))).toBeNull();
    expect(readF32(fromHex("00"))).toBeNull();
  });

  test("whole numbers, low byte first", () => {
    expect(toHex(u16(281))).toBe("19 01");
    expect(readUnsigned(fromHex("D6 01 00 00"))).toBe(470);
  });

  test("dates and times", () => {
    const then = toHouseDate(Date.UTC(2014, 9, 26, 21, 4, 58));
    expect(toHex([...bti(then), ...bda(then)])).toBe("58 04 21 26 10 07 14");
    const captured = toHouseDate(Date.UTC(2026, 2, 5, 16, 0, 44));
    expect(toHex([...hda3(captured), ...hti(captured)])).toBe("05 03 1A 10 00 2C");
    expect(toHex(packedDate({ year: 2025, month: 1, day: 1 }))).toBe("21 32");
    expect(toHex(packedDate({ year: 2025, month: 12, day: 31 }))).toBe("9F 33");
    expect(toHex(packedDate({ year: 2026, month: 9, day: 19 }))).toBe("33 35");
    expect(toHex(packedDate({ year: 2024, month: 0, day: 0 }))).toBe("00 30");
  });
});
