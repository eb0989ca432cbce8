import { invalid, notRepresentable, type DataType } from "./data-type.ts";

/** Reads a byte of two decimal digits; undefined when a nibble is above nine. */
export function fromBcd(byte: number): number | undefined {
  const high = byte >> 4;
  const low = byte & 0x0f;
  return high > 9 || low > 9 ? undefined : high * 10 + low;
}

export function toBcd(value: number): number {
  return (Math.floor(value / 10) << 4) | (value % 10);
}

/** Digits in pairs, the lowest pair first: packed (`BCD`) or as plain bytes of 0 to 99 (`HCD`). */
function pairs(name: string, bytes: number, packed: boolean): DataType<number> {
  const limit = 100 ** bytes;
  return {
    name,
    bytes,
    decode(raw) {
      if (packed && raw.every((byte) => byte === 0xff)) return null;
      let value = 0;
      for (let i = bytes - 1; i >= 0; i--) {
        const byte = raw[i] ?? 0;
        const pair = packed ? fromBcd(byte) : byte > 99 ? undefined : byte;
        if (pair === undefined) throw invalid(name, raw);
        value = value * 100 + pair;
      }
      return value;
    },
    encode(value) {
      if (value === null) {
        if (!packed) throw notRepresentable(name, value);
        return new Uint8Array(bytes).fill(0xff);
      }
      if (!Number.isInteger(value) || value < 0 || value >= limit) throw notRepresentable(name, value);
      const raw = new Uint8Array(bytes);
      let rest = value;
      for (let i = 0; i < bytes; i++) {
        raw[i] = packed ? toBcd(rest % 100) : rest % 100;
        rest = Math.floor(rest / 100);
      }
      return raw;
    },
  };
}

export const bcd = (bytes: 1 | 2 | 3 | 4): DataType<number> => pairs(bytes === 1 ? "BCD" : `BCD:${bytes}`, bytes, true);
export const hcd = (bytes: 1 | 2 | 3 | 4): DataType<number> =>
  pairs(bytes === 4 ? "HCD" : `HCD:${bytes}`, bytes, false);

/** Four digits, the high pair first; text, because leading zeros matter in a PIN. */
export const PIN: DataType<string> = {
  name: "PIN",
  bytes: 2,
  decode(raw) {
    if (raw[0] === 0xff && raw[1] === 0xff) return null;
    const [high, low] = [fromBcd(raw[0] ?? 0), fromBcd(raw[1] ?? 0)];
    if (high === undefined || low === undefined) throw invalid("PIN", raw);
    return String(high * 100 + low).padStart(4, "0");
  },
  encode(value) {
    if (value === null) return Uint8Array.of(0xff, 0xff);
    if (!/^\d{4}$/.test(value)) throw notRepresentable("PIN", value);
    return Uint8Array.of(Number.parseInt(value.slice(0, 2), 16), Number.parseInt(value.slice(2), 16));
  },
};
