import { hexText, invalid, notRepresentable, type DataType } from "./data-type.ts";

/** Device text in ISO 8859-1, padded with spaces (`STR`) or ended by NUL (`NTS`). What it says is data, never instruction. */
function text(name: string, bytes: number, padding: 0x20 | 0x00): DataType<string> {
  return {
    name: `${name}:${bytes}`,
    bytes,
    decode(raw) {
      const end = raw.indexOf(0x00);
      const used = Buffer.from(end < 0 ? raw : raw.subarray(0, end)).toString("latin1");
      return padding === 0x20 ? used.replace(/ +$/, "") : used;
    },
    encode(value) {
      const raw = new Uint8Array(bytes).fill(padding);
      if (value === null) return raw;
      if (value.length > bytes || [...value].some((letter) => !isLatin1(letter))) throw notRepresentable(name, value);
      raw.set(Buffer.from(value, "latin1"));
      return raw;
    },
  };
}

function isLatin1(letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return code >= 0x20 && code <= 0xff && code !== 0x7f;
}

export const str = (bytes: number): DataType<string> => text("STR", bytes, 0x20);
export const nts = (bytes: number): DataType<string> => text("NTS", bytes, 0x00);

export function hex(bytes: number): DataType<string> {
  return {
    name: `HEX:${bytes}`,
    bytes,
    decode: hexText,
    encode(value) {
      const compact = (value ?? "").replace(/\s+/g, "");
      if (compact.length !== bytes * 2 || !/^[0-9a-f]*$/i.test(compact)) throw notRepresentable("HEX", value);
      return Uint8Array.from(Buffer.from(compact, "hex"));
    },
  };
}

/** Bits `first` to `first + width - 1` of one byte, as a number. */
/** Bytes that mean nothing to us; they are skipped, and written as zero. */
export function ign(bytes: number): DataType<never> {
  return { name: `IGN:${bytes}`, bytes, decode: () => null, encode: () => new Uint8Array(bytes) };
}

export function bits(first: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7, width = 1): DataType<number> {
  const mask = (1 << width) - 1;
  const name = `BI${first}:${width}`;
  return {
    name,
    bytes: 1,
    decode: (raw) => ((raw[0] ?? 0) >> first) & mask,
    encode(value) {
      if (value === null || !Number.isInteger(value) || value < 0 || value > mask) throw notRepresentable(name, value);
      return Uint8Array.of(value << first);
    },
  };
}

/** Weekday from 0 (Monday) to 6 (Sunday), whatever number the wire gives to Monday. */
function weekday(name: string, monday: 0 | 1, replacement: number): DataType<number> {
  return {
    name,
    bytes: 1,
    decode(raw) {
      const byte = raw[0] ?? 0;
      if (byte === replacement) return null;
      const value = byte - monday;
      if (value < 0 || value > 6) throw invalid(name, raw);
      return value;
    },
    encode(value) {
      if (value === null) return Uint8Array.of(replacement);
      if (!Number.isInteger(value) || value < 0 || value > 6) throw notRepresentable(name, value);
      return Uint8Array.of(value + monday);
    },
  };
}

export const BDY = weekday("BDY", 0, 0x07);
export const HDY = weekday("HDY", 1, 0x00);
