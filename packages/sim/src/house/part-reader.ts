import { crcStep, ESC } from "./symbols.ts";

/** NN over 31 cannot be a telegram; whoever sends it is not talking eBUS. */
const MOST_DATA_BYTES = 31;

export type PartState =
  | { readonly kind: "more" }
  | { readonly kind: "whole"; readonly crcOk: boolean }
  | { readonly kind: "corrupt" };

/** Reads one command (five bytes up to NN) or one response (NN alone) from unescaped wire symbols. Never sees a SYN. */
export interface PartReader {
  push(symbol: number): PartState;
  /** Without escapes, from the first byte to the last data byte; the checksum is not among them. */
  readonly bytes: readonly number[];
  /** The checksum that came, once it did. */
  readonly crc: number | undefined;
}

export function createPartReader({ headerLength }: { headerLength: 1 | 5 }): PartReader {
  const bytes: number[] = [];
  let crc = 0;
  let received: number | undefined;
  let escaping = false;

  function decoded(value: number, wire: readonly number[]): PartState {
    const length = bytes[headerLength - 1];
    if (length !== undefined && bytes.length === headerLength + length) {
      received = value;
      return { kind: "whole", crcOk: value === crc };
    }
    bytes.push(value);
    crc = wire.reduce(crcStep, crc);
    return (bytes[headerLength - 1] ?? 0) > MOST_DATA_BYTES ? { kind: "corrupt" } : { kind: "more" };
  }

  return {
    push(symbol) {
      if (escaping) {
        escaping = false;
        return symbol > 1 ? { kind: "corrupt" } : decoded(ESC + symbol, [ESC, symbol]);
      }
      if (symbol === ESC) {
        escaping = true;
        return { kind: "more" };
      }
      return decoded(symbol, [symbol]);
    },
    bytes,
    get crc() {
      return received;
    },
  };
}
