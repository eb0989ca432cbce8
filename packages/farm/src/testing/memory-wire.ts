import type { Dial, Wire } from "../modbus/wire.ts";

/** The far end of a wire without a network. */
export interface FarEnd {
  readonly received: Buffer[];
  /** Called for what the near end writes. */
  onWrite: (bytes: Buffer) => void;
  send(...pieces: readonly Uint8Array[]): void;
  hangUp(): void;
}

/** A dial whose far ends the test holds in its hands, one for each connection that was made. */
export function createMemoryDial({
  onWrite = () => {},
}: { readonly onWrite?: (bytes: Buffer, far: FarEnd) => void } = {}): {
  readonly dial: Dial;
  readonly ends: readonly FarEnd[];
  /** While true, every attempt fails. */
  refuse: boolean;
} {
  const ends: FarEnd[] = [];
  const held = {
    ends,
    refuse: false,
    dial: (): Promise<Wire> => {
      if (held.refuse) return Promise.reject(new Error("refused"));
      let onPiece: (piece: Uint8Array) => void = () => {};
      let onEnd: (cause?: Error) => void = () => {};
      let over = false;
      const end = (): void => {
        if (over) return;
        over = true;
        onEnd();
      };
      const far: FarEnd = {
        received: [],
        onWrite: (bytes) => onWrite(bytes, far),
        send: (...pieces) => {
          for (const piece of pieces) if (!over) onPiece(piece);
        },
        hangUp: end,
      };
      ends.push(far);
      return Promise.resolve({
        write(bytes) {
          if (over) return;
          far.received.push(Buffer.from(bytes));
          far.onWrite(Buffer.from(bytes));
        },
        onPiece: (listener) => void (onPiece = listener),
        onEnd: (listener) => void (onEnd = listener),
        close: end,
      });
    },
  };
  return held;
}
