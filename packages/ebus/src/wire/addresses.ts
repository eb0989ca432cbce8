import { BROADCAST, ESC, SYN } from "./symbols.ts";

/** Order of priority: an initiator's low nibble is one of these, and the earlier one wins the bus. */
const NIBBLES = [0x0, 0x1, 0x3, 0x7, 0xf] as const;

const INITIATOR = new Uint8Array(256);
for (const low of NIBBLES) for (const high of NIBBLES) INITIATOR[(high << 4) | low] = 1;

/** All 25, by priority class and then by sub address. */
export const INITIATORS: readonly number[] = NIBBLES.flatMap((low) => NIBBLES.map((high) => (high << 4) | low));

export function isInitiator(address: number): boolean {
  return INITIATOR[address] === 1;
}

/** Any address that answers but never starts. */
export function isTarget(address: number): boolean {
  return (
    !isInitiator(address) &&
    address !== ESC &&
    address !== SYN &&
    address !== BROADCAST &&
    address >= 0 &&
    address <= 0xff
  );
}

/** Where an initiator itself answers. */
export function companionTarget(initiator: number): number {
  return (initiator + 5) & 0xff;
}

/** The initiator that owns a target address, if there is one. */
export function companionInitiator(target: number): number | undefined {
  const initiator = (target - 5) & 0xff;
  return isInitiator(initiator) ? initiator : undefined;
}

/** ebusd's numbering, 1 to 25. */
export function initiatorNumber(initiator: number): number | undefined {
  const position = INITIATORS.indexOf(initiator);
  return position < 0 ? undefined : position + 1;
}
