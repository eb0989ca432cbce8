export const SYN = 0xaa;
export const ESC = 0xa9;
export const ACK = 0x00;
export const NACK = 0xff;
export const BROADCAST = 0xfe;

const POLYNOMIAL = 0x9b;

const TABLE = Uint8Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 0x80) === 0 ? value << 1 : ((value << 1) & 0xff) ^ POLYNOMIAL;
  return value;
});

/** One step of the checksum. The wire byte enters after the look-up, unlike in the usual CRC-8. */
export function crcStep(crc: number, wireByte: number): number {
  // The table has 256 entries and the index is a byte.
  return (TABLE[crc & 0xff] as number) ^ wireByte;
}

/** What travels for these bytes: A9 as A9 00, AA as A9 01. */
export function escapeBytes(bytes: Iterable<number>): number[] {
  const wire: number[] = [];
  for (const byte of bytes) {
    if (byte === ESC || byte === SYN) wire.push(ESC, byte - ESC);
    else wire.push(byte);
  }
  return wire;
}

/** The checksum of a command or response, counted over its escaped form. */
export function crcOf(bytes: Iterable<number>): number {
  return escapeBytes(bytes).reduce(crcStep, 0);
}

/** The bytes with their checksum, escaped, as they travel. */
export function toWire(bytes: readonly number[]): number[] {
  return escapeBytes([...bytes, crcOf(bytes)]);
}
