/** Why a unit will not do what it was asked, by the codes of Modbus. */
export const REFUSAL = { function: 1, address: 2, value: 3, failure: 4, noAnswer: 0x0b } as const;

export class Refusal extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`Modbus exception ${code}`);
    this.code = code;
  }
}

/** What hangs on a bus at one address. A method that is missing is a function code the unit does not know. */
export interface Unit {
  readonly address: number;
  readonly model: string;
  /** False for firmware that does as it is told and never says a word. */
  readonly answers: boolean;
  coils?(start: number, count: number): readonly boolean[];
  discretes?(start: number, count: number): readonly boolean[];
  holding?(start: number, count: number): readonly number[];
  input?(start: number, count: number): readonly number[];
  /** `value` as it is on the wire: FF00, 0000, 5500 or a time. */
  writeCoil?(coil: number, value: number): void;
  writeCoils?(start: number, states: readonly boolean[]): void;
  writeRegisters?(start: number, values: readonly number[]): void;
  /** Relay channels whose contacts do not move any more. */
  weld?(channels: readonly number[]): void;
}

/** A board whose relays drive something. */
export interface Relays {
  /** Whether the contact is really closed, whatever the board says. Channels count from 1. */
  isClosed(channel: number): boolean;
  readonly channels: number;
}

/** Reads a window of a register image; a hole in it is refused as a wrong address. */
export function fromImage(image: ReadonlyMap<number, number>, start: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => {
    const value = image.get(start + i);
    if (value === undefined) throw new Refusal(REFUSAL.address);
    return value & 0xffff;
  });
}
