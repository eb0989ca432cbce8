const NIBBLES: readonly number[] = [0x0, 0x1, 0x3, 0x7, 0xf];

/** Both nibbles are 0, 1, 3, 7 or F: 25 of them. */
export function isInitiator(address: number): boolean {
  return NIBBLES.includes(address >> 4) && NIBBLES.includes(address & 0xf);
}

/** Of two initiators that lose against each other only those of one class may try again at the very next SYN. */
export function isSameClass(one: number, other: number): boolean {
  return (one & 0xf) === (other & 0xf);
}
