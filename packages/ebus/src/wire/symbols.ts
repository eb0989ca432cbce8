/** Idle mark and separator of telegrams. Never data: on the wire, data AA is the pair A9 01. */
export const SYN = 0xaa;
/** Starts a pair: A9 00 is data A9, A9 01 is data AA. */
export const ESC = 0xa9;
export const ACK = 0x00;
export const NACK = 0xff;
/** Target address of telegrams that nobody answers. */
export const BROADCAST = 0xfe;

/** What an initiator may send. Longer ones are heard in the field, so reading is more generous. */
export const MAX_DATA_SENT = 16;
/** Where reading stops believing the length byte. */
export const MAX_DATA_READ = 31;

/** The wire symbols of one logical byte, appended to `wire`. */
export function pushEscaped(wire: number[], byte: number): void {
  if (byte === ESC) wire.push(ESC, 0x00);
  else if (byte === SYN) wire.push(ESC, 0x01);
  else wire.push(byte);
}
