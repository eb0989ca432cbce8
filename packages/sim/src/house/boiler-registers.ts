import { fromHex } from "./hex.ts";

/** A device's B509 registers, by address in four hex digits, as it travels. */
export interface BoilerRegisters {
  get(address: string): readonly number[] | undefined;
  put(address: string, data: readonly number[]): void;
}

export function createBoilerRegisters(image: Readonly<Record<string, string>>): BoilerRegisters {
  const registers = new Map<string, readonly number[]>(
    Object.entries(image).map(([address, data]) => [address, [...fromHex(data)]]),
  );
  return {
    get: (address) => registers.get(address),
    put: (address, data) => void registers.set(address, [...data]),
  };
}
