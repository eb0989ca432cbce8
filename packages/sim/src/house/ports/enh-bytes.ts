/** Commands of the enhanced protocol, host to adapter. */
export const FROM_HOST = { INIT: 0x0, SEND: 0x1, START: 0x2, INFO: 0x3 } as const;
/** And adapter to host. */
export const TO_HOST = {
  RESETTED: 0x0,
  RECEIVED: 0x1,
  STARTED: 0x2,
  INFO: 0x3,
  FAILED: 0xa,
  ERROR_EBUS: 0xb,
  ERROR_HOST: 0xc,
} as const;

export const FRAMING = 0x00;

/** `11ccccdd 10dddddd`. */
export function enhPair(command: number, data: number): [number, number] {
  return [0xc0 | (command << 2) | (data >> 6), 0x80 | (data & 0x3f)];
}

/** A received byte below 80 travels by itself. */
export function enhReceived(symbol: number): number[] {
  return symbol < 0x80 ? [symbol] : enhPair(TO_HOST.RECEIVED, symbol);
}

export type FromHost =
  | { readonly kind: "command"; readonly command: number; readonly data: number }
  /** An orphan second byte, or a first byte without its second. */
  | { readonly kind: "garbled" };

/** Bytes of a host, in whatever pieces, to commands. */
export function createEnhReader(): { push(byte: number): FromHost[]; reset(): void } {
  let first: number | undefined;

  function fresh(byte: number): FromHost[] {
    if (byte < 0x80) return [{ kind: "command", command: FROM_HOST.SEND, data: byte }];
    if (byte < 0xc0) return [{ kind: "garbled" }];
    first = byte;
    return [];
  }

  return {
    push(byte) {
      if (first === undefined) return fresh(byte);
      const begun = first;
      first = undefined;
      if ((byte & 0xc0) !== 0x80) return [{ kind: "garbled" }, ...fresh(byte)];
      return [{ kind: "command", command: (begun >> 2) & 0xf, data: ((begun & 0x3) << 6) | (byte & 0x3f) }];
    },
    reset() {
      first = undefined;
    },
  };
}
