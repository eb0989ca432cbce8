/** Farm contract 4.6: a write to this one switches every relay of a board, one to the other turns every relay round. */
const WHOLE_BOARD: readonly number[] = [0x00ff, 0x01ff];
/** The first of those that take a time instead of a state, for a pulse on and a pulse off. */
const PULSES = [0x0200, 0x0400] as const;
const MOST_CHANNELS = 0x0100;

/**
 * Is this coil an order to the board rather than a relay? An OFF there can switch on, and nothing reads back what it did.
 * The coils for pulses are orders only where the board counts time by itself: others have that many real ones.
 */
export function isCommandCoil(address: number, { pulses }: { readonly pulses: boolean }): boolean {
  if (WHOLE_BOARD.includes(address)) return true;
  return pulses && PULSES.some((first) => address >= first && address < first + MOST_CHANNELS);
}
