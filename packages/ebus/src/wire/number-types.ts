import type { DataType } from "./data-type.ts";
import { invalid, notRepresentable } from "./data-type.ts";

interface Whole {
  readonly name: string;
  readonly bytes: 1 | 2 | 3 | 4;
  readonly signed: boolean;
  /** What the raw whole number is divided by. */
  readonly divisor?: number;
  readonly bigEndian?: boolean;
  /** Largest value a peer accepts, where it is less than what fits. */
  readonly max?: number;
}

/** Whole numbers and their fractions. The replacement value (all ones, or the lowest negative) means "no value". */
function whole({ name, bytes, signed, divisor = 1, bigEndian = false, max }: Whole): DataType<number> {
  const range = 2 ** (bytes * 8);
  const replacement = signed ? range / 2 : range - 1;
  const lowest = signed ? -range / 2 + 1 : 0;
  const highest = signed ? range / 2 - 1 : range - 2;
  return {
    name,
    bytes,
    decode(raw) {
      const unsigned = readUnsigned(raw, bytes, bigEndian);
      if (unsigned === replacement) return null;
      const value = (signed && unsigned >= range / 2 ? unsigned - range : unsigned) / divisor;
      if (max !== undefined && value > max) throw invalid(name, raw);
      return value;
    },
    encode(value) {
      if (value === null) return writeUnsigned(replacement, bytes, bigEndian);
      const steps = Math.round(value * divisor);
      if (!Number.isFinite(value) || steps < lowest || steps > highest || (max !== undefined && value > max))
        throw notRepresentable(name, value);
      return writeUnsigned(steps < 0 ? steps + range : steps, bytes, bigEndian);
    },
  };
}

function readUnsigned(raw: Uint8Array, bytes: number, bigEndian: boolean): number {
  let value = 0;
  for (let i = 0; i < bytes; i++) value = value * 256 + (raw[bigEndian ? i : bytes - 1 - i] ?? 0);
  return value;
}

function writeUnsigned(value: number, bytes: number, bigEndian: boolean): Uint8Array {
  const raw = new Uint8Array(bytes);
  let rest = value;
  for (let i = 0; i < bytes; i++) {
    raw[bigEndian ? bytes - 1 - i : i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return raw;
}

/** IEEE single precision. Controllers say "no value" with either of two bit patterns; both are NaN to a float reader. */
function float(name: string, bigEndian: boolean): DataType<number> {
  return {
    name,
    bytes: 4,
    decode(raw) {
      const value = new DataView(raw.buffer, raw.byteOffset, 4).getFloat32(0, !bigEndian);
      if (Number.isNaN(value)) return null;
      if (!Number.isFinite(value)) throw invalid(name, raw);
      return shortest(value);
    },
    encode(value) {
      const raw = new Uint8Array(4);
      const view = new DataView(raw.buffer);
      if (value === null) view.setUint32(0, 0x7fc00000, !bigEndian);
      else if (!Number.isFinite(value) || !Number.isFinite(Math.fround(value))) throw notRepresentable(name, value);
      else view.setFloat32(0, value, !bigEndian);
      return raw;
    },
  };
}

/** The shortest decimal that is this single-precision number: 0.95 rather than 0.949999988079071. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  return value;
}

export const UCH = whole({ name: "UCH", bytes: 1, signed: false });
export const SCH = whole({ name: "SCH", bytes: 1, signed: true });
export const D1B = whole({ name: "D1B", bytes: 1, signed: true });
export const D1C = whole({ name: "D1C", bytes: 1, signed: false, divisor: 2, max: 100 });
export const D2B = whole({ name: "D2B", bytes: 2, signed: true, divisor: 256 });
export const D2C = whole({ name: "D2C", bytes: 2, signed: true, divisor: 16 });
export const FLT = whole({ name: "FLT", bytes: 2, signed: true, divisor: 1000 });
export const UIN = whole({ name: "UIN", bytes: 2, signed: false });
export const SIN = whole({ name: "SIN", bytes: 2, signed: true });
export const UIR = whole({ name: "UIR", bytes: 2, signed: false, bigEndian: true });
export const SIR = whole({ name: "SIR", bytes: 2, signed: true, bigEndian: true });
export const U3N = whole({ name: "U3N", bytes: 3, signed: false });
export const S3N = whole({ name: "S3N", bytes: 3, signed: true });
export const ULG = whole({ name: "ULG", bytes: 4, signed: false });
export const SLG = whole({ name: "SLG", bytes: 4, signed: true });
export const EXP = float("EXP", false);
export const EXR = float("EXR", true);
