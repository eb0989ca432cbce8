import { ESC, SYN } from "./symbols.ts";

const POLYNOMIAL = 0x9b;

const TABLE: Uint8Array = Uint8Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit++) value = value & 0x80 ? ((value << 1) ^ POLYNOMIAL) & 0xff : (value << 1) & 0xff;
  return value;
});

/** One step over a symbol as it is on the wire. The byte is added after the table look-up, unlike in common CRC-8 code. */
export function crcOverSymbol(crc: number, symbol: number): number {
  return (TABLE[crc] ?? 0) ^ symbol;
}

/** One step over a logical byte: the checksum runs over the escaped form, so A9 and AA count as two symbols. */
export function crcOverByte(crc: number, byte: number): number {
  if (byte !== ESC && byte !== SYN) return crcOverSymbol(crc, byte);
  return crcOverSymbol(crcOverSymbol(crc, ESC), byte - ESC);
}

export function crcOf(bytes: Iterable<number>): number {
  let crc = 0;
  for (const byte of bytes) crc = crcOverByte(crc, byte);
  return crc;
}
