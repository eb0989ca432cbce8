import { expect, test } from "vitest";
import { fromHex } from "../testing/memory-link.ts";
import { readRegisterValue } from "./register-value.ts";

// @proves ebus.type.b524-null-integers
test("the greatest integer of each width is no value", () => {
  expect(readRegisterValue("u8", fromHex("FF"))).toBeNull();
  expect(readRegisterValue("u16", fromHex("FF FF"))).toBeNull();
  expect(readRegisterValue("u32", fromHex("FF FF FF FF"))).toBeNull();
  expect(readRegisterValue("s32", fromHex("FF FF FF 7F"))).toBeNull();
  expect(readRegisterValue("u32", fromHex("D6 01 00 00"))).toBe(470);
  expect(readRegisterValue("s32", fromHex("FE FF FF FF"))).toBe(-2);
});

// @proves ebus.type.b524-null-float-and-empty
test("both kinds of NaN, nothing at all, and too few bytes for a float are no value", () => {
  expect(readRegisterValue("f32", fromHex("00 00 C0 7F"))).toBeNull();
  expect(readRegisterValue("f32", fromHex("FF FF FF 7F"))).toBeNull();
  for (const type of ["u8", "u16", "u32", "s32", "f32"] as const)
    expect(readRegisterValue(type, new Uint8Array()), type).toBeNull();
  expect(readRegisterValue("f32", fromHex("01"))).toBeNull();
  expect(readRegisterValue("u16", fromHex("01"))).toBe(1);
});

// @proves ebus.type.b524-null-radio-8000
test("8000 is no value in a radio slot and a number elsewhere", () => {
  expect(readRegisterValue("u16", fromHex("00 80"), { radioSlot: true })).toBeNull();
  expect(readRegisterValue("u16", fromHex("00 80"))).toBe(0x8000);
});

// @proves ebus.type.b524-float-order
test("floats of a heat pump come the other way round", () => {
  expect(readRegisterValue("f32", fromHex("00 00 88 40"))).toBe(4.25);
  expect(readRegisterValue("f32", fromHex("40 88 00 00"), { bigEndianFloats: true })).toBe(4.25);
});
