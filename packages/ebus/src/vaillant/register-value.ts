import { EXP, EXR, SLG, UCH, UIN, ULG } from "../wire/number-types.ts";

export type RegisterType = "u8" | "u16" | "u32" | "s32" | "f32";

export interface RegisterPlace {
  /** Heat pumps send their floats the other way round. */
  readonly bigEndianFloats?: boolean;
  /** In an empty radio slot 8000 stands for nothing; elsewhere it is a number. */
  readonly radioSlot?: boolean;
}

const WIDTH: Readonly<Record<RegisterType, number>> = { u8: 1, u16: 2, u32: 4, s32: 4, f32: 4 };
/** What B524 sends for "no value" as a signed number; the general type has another one. */
const NO_S32 = 0x7fffffff;
const NO_RADIO_VALUE = 0x8000;

/**
 * A register's value behind its header. Null is no value: the replacement, an empty payload, or fewer bytes than a float
 * has. Integers are read from whatever width arrives.
 */
export function readRegisterValue(type: RegisterType, raw: Uint8Array, place: RegisterPlace = {}): number | null {
  if (raw.length === 0) return null;
  if (type === "f32") {
    if (raw.length < WIDTH.f32) return null;
    return (place.bigEndianFloats ? EXR : EXP).decode(raw.subarray(0, WIDTH.f32));
  }
  const given = raw.subarray(0, Math.min(WIDTH[type], raw.length));
  if (given.length === WIDTH[type]) return wholeWidth(type, given, place);
  return given.reduceRight((value, byte) => value * 256 + byte, 0);
}

function wholeWidth(type: Exclude<RegisterType, "f32">, raw: Uint8Array, place: RegisterPlace): number | null {
  switch (type) {
    case "u8":
      return UCH.decode(raw);
    case "u16": {
      const value = UIN.decode(raw);
      return place.radioSlot && value === NO_RADIO_VALUE ? null : value;
    }
    case "u32":
      return ULG.decode(raw);
    case "s32": {
      const value = SLG.decode(raw);
      return value === NO_S32 ? null : value;
    }
  }
}
