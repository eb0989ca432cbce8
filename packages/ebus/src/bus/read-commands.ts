import type { Command } from "../wire/telegram.ts";

type Question = Pick<Command, "primary" | "secondary" | "data">;

/** What is known to change nothing, by command and the first data bytes. */
const READS: readonly (readonly [number, number, readonly (readonly number[])[]])[] = [
  [0x07, 0x04, [[]]],
  [0xb5, 0x03, [[0x00], [0x01]]],
  [0xb5, 0x04, [[]]],
  [0xb5, 0x09, [[0x0d], [0x24], [0x25], [0x26], [0x27]]],
  [0xb5, 0x11, [[0x00], [0x01], [0x02]]],
  [0xb5, 0x16, [[0x10]]],
  [0xb5, 0x23, [[0x06], [0x07]]],
  [0xb5, 0x24, [[0x00], [0x01], [0x02, 0x00], [0x06, 0x00], [0x03]]],
  [0xb5, 0x55, [[0xa3], [0xa4], [0xa5]]],
];

/** Whatever is not on the list may change something, and goes through the door. */
export function isKnownRead({ primary, secondary, data }: Question): boolean {
  const row = READS.find(([pb, sb]) => pb === primary && sb === secondary);
  return row?.[2].some((start) => start.every((byte, at) => data[at] === byte)) ?? false;
}
