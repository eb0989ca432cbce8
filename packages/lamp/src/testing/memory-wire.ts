import type { Dial, Wire } from "../wire.ts";

/** The far end of a wire in memory: sees what was written and says what it likes. */
export interface FarEnd {
  /** Everything written so far, as text. */
  readonly written: () => string;
  readonly closed: () => boolean;
  say(text: string): void;
  hangUp(): void;
  /** Called with each piece that was written. */
  onWritten?: (text: string) => void;
}

export function createMemoryWire(): { readonly wire: Wire; readonly far: FarEnd } {
  let pieceListener: ((piece: Uint8Array) => void) | undefined;
  let endListener: ((cause?: Error) => void) | undefined;
  let written = "";
  let closed = false;

  function close(): void {
    if (closed) return;
    closed = true;
    endListener?.();
  }
  const far: FarEnd = {
    written: () => written,
    closed: () => closed,
    say: (text) => pieceListener?.(new TextEncoder().encode(text)),
    hangUp: close,
  };
  const wire: Wire = {
    write(bytes) {
      const text = new TextDecoder().decode(bytes);
      written += text;
      far.onWritten?.(text);
    },
    onPiece: (listener) => (pieceListener = listener),
    onEnd: (listener) => (endListener = listener),
    close,
  };
  return { wire, far };
}

/** Gives out what it is told to, one entry a call: a wire, or a refusal. */
export function createScriptedDial(): {
  readonly dial: Dial;
  readonly calls: () => number;
  readonly lines: FarEnd[];
  /** From here on every attempt fails (or succeeds again). */
  refuse(refusing: boolean): void;
} {
  const lines: FarEnd[] = [];
  let calls = 0;
  let refusing = false;
  return {
    dial: async (signal) => {
      calls += 1;
      signal.throwIfAborted();
      if (refusing) throw new Error("connection refused");
      const { wire, far } = createMemoryWire();
      lines.push(far);
      return wire;
    },
    calls: () => calls,
    lines,
    refuse: (value) => (refusing = value),
  };
}
