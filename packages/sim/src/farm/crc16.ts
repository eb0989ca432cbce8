const START = 0xffff;
const POLYNOMIAL = 0xa001;

const TABLE = Uint16Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

/** The checksum of Modbus RTU as a number; on the wire its low byte goes first. */
export function crc16(bytes: Uint8Array): number {
  let crc = START;
  for (const byte of bytes) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0);
  return crc;
}

export function withCrc(bytes: Uint8Array): Uint8Array {
  const crc = crc16(bytes);
  return Uint8Array.of(...bytes, crc & 0xff, crc >>> 8);
}
