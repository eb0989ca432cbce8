/** One line off the wire, or one that grew past the limit; the protocol answers both with exactly one line. */
export type LampLine = { readonly kind: "line"; readonly bytes: Uint8Array } | { readonly kind: "too-long" };

export interface LampLineReader {
  /** Takes a piece of the stream, however it was cut, and returns the lines it completed. */
  push(piece: Uint8Array): LampLine[];
}

const LF = 0x0a;
/** One byte more without LF and the line is refused. It bounds the memory a connection can take. */
const LONGEST_LINE = 16;

/** Cuts one connection's bytes into lines. */
export function createLampLineReader(): LampLineReader {
  let held: number[] = [];
  let skipping = false;

  function take(byte: number): LampLine | undefined {
    if (byte === LF) {
      // The rest of a line that was refused ends here; its one answer has already been given.
      const line: LampLine | undefined = skipping ? undefined : { kind: "line", bytes: Uint8Array.from(held) };
      held = [];
      skipping = false;
      return line;
    }
    if (skipping) return undefined;
    if (held.length === LONGEST_LINE) {
      held = [];
      skipping = true;
      return { kind: "too-long" };
    }
    held.push(byte);
    return undefined;
  }

  return {
    push(piece) {
      const lines: LampLine[] = [];
      for (const byte of piece) {
        const line = take(byte);
        if (line) lines.push(line);
      }
      return lines;
    },
  };
}
