/** CRC-16/MODBUS: starts at 0xFFFF, polynomial 0xA001 reflected. On the wire the low byte comes first. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0);
  return crc;
}

/** Do the last two bytes check the ones before them? */
export function hasGoodCrc(frame: Uint8Array): boolean {
  const end = frame.length - 2;
  if (end < 1) return false;
  const crc = crc16(frame.subarray(0, end));
  return frame[end] === (crc & 0xff) && frame[end + 1] === crc >>> 8;
}

/** The same bytes with their CRC behind them. */
export function withCrc(bytes: Uint8Array): Buffer {
  const crc = crc16(bytes);
  const frame = Buffer.alloc(bytes.length + 2);
  frame.set(bytes);
  frame.writeUInt16LE(crc, bytes.length);
  return frame;
}

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  return crc;
});
