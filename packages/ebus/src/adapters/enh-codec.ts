/** What the host says to an enhanced adapter. */
export const ENH_REQUEST = { init: 0x0, send: 0x1, start: 0x2, info: 0x3 } as const;
export type EnhRequest = keyof typeof ENH_REQUEST;

/** What the adapter says. */
export type EnhEvent =
  | { readonly kind: "resetted"; readonly features: number }
  | { readonly kind: "received"; readonly symbol: number }
  | { readonly kind: "started"; readonly source: number }
  /** The first one after a request is the length, the others are data. */
  | { readonly kind: "info"; readonly byte: number }
  /** Arbitration was lost to this initiator. Its address is not repeated as received. */
  | { readonly kind: "failed"; readonly winner: number }
  | { readonly kind: "bus-error"; readonly code: number }
  | { readonly kind: "host-error"; readonly code: number }
  /** The bytes are not ENH. `orphan`: a second byte without its first, as when the port is in fact a plain one. */
  | { readonly kind: "malformed"; readonly what: "orphan" | "half" | "command"; readonly byte: number };

const EVENTS: Readonly<Record<number, (data: number) => EnhEvent>> = {
  0x0: (features) => ({ kind: "resetted", features }),
  0x1: (symbol) => ({ kind: "received", symbol }),
  0x2: (source) => ({ kind: "started", source }),
  0x3: (byte) => ({ kind: "info", byte }),
  0xa: (winner) => ({ kind: "failed", winner }),
  0xb: (code) => ({ kind: "bus-error", code }),
  0xc: (code) => ({ kind: "host-error", code }),
};

/** A command and its data byte as the pair 11ccccdd 10dddddd. */
export function encodeEnh(request: EnhRequest, data: number): Uint8Array {
  const command = ENH_REQUEST[request];
  return Uint8Array.of(0xc0 | (command << 2) | (data >> 6), 0x80 | (data & 0x3f));
}

export interface EnhDecoder {
  push(byte: number, heard: (event: EnhEvent) => void): void;
  /** Drops half a pair: after a pause, an arbitration verdict, or a reconnect. */
  reset(): void;
  readonly halfPair: boolean;
}

/** Reads what an adapter sends, byte by byte: TCP may cut a pair in two or join hundreds. */
export function createEnhDecoder(): EnhDecoder {
  let first: number | undefined;
  return {
    push(byte, heard) {
      const pending = first;
      first = undefined;
      if (byte >= 0xc0) {
        first = byte;
        if (pending !== undefined) heard({ kind: "malformed", what: "half", byte: pending });
        return;
      }
      if (byte < 0x80) {
        if (pending !== undefined) heard({ kind: "malformed", what: "half", byte: pending });
        return heard({ kind: "received", symbol: byte });
      }
      if (pending === undefined) return heard({ kind: "malformed", what: "orphan", byte });
      const event = EVENTS[(pending >> 2) & 0x0f];
      if (event) heard(event(((pending & 0x03) << 6) | (byte & 0x3f)));
      else heard({ kind: "malformed", what: "command", byte: pending });
    },
    reset() {
      first = undefined;
    },
    get halfPair() {
      return first !== undefined;
    },
  };
}
