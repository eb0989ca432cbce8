import type { Link } from "../adapters/link.ts";

/** The far end of a link in memory: sees what was written and says what it likes. */
export interface FarEnd {
  readonly link: Link;
  /** What was written since the last look, as spaced hex. */
  written(): string;
  readonly closed: boolean;
  /** Bytes as spaced hex, in one piece. */
  say(hex: string): void;
  sayText(text: string): void;
  hangUp(): void;
}

export function createFarEnd(): FarEnd {
  let onPiece: ((piece: Uint8Array) => void) | undefined;
  let onEnd: ((cause?: Error) => void) | undefined;
  let bytes: number[] = [];
  let closed = false;
  function end(): void {
    if (closed) return;
    closed = true;
    onEnd?.();
  }
  return {
    link: {
      write: (piece) => void bytes.push(...piece),
      onPiece: (listener) => (onPiece = listener),
      onEnd: (listener) => (onEnd = listener),
      close: end,
    },
    written() {
      const text = toHex(bytes);
      bytes = [];
      return text;
    },
    get closed() {
      return closed;
    },
    say: (hex) => onPiece?.(fromHex(hex)),
    sayText: (text) => onPiece?.(Buffer.from(text, "latin1")),
    hangUp: end,
  };
}

export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
}

export function toHex(bytes: Iterable<number>): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
