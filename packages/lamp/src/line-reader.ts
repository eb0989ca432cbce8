/** The longest answer is `N` with a decimal number; anything longer is not this protocol. */
const MAX_LINE_BYTES = 32;

export type Line =
  | { readonly kind: "line"; readonly text: string }
  /** More bytes than any answer has, without an end. The rest up to the next LF is skipped. */
  | { readonly kind: "overlong"; readonly bytes: number };

export interface LineReader {
  /** Takes the next piece of the stream, however it was cut, and returns the lines that it completes. */
  push(piece: Uint8Array): Line[];
}

const LF = 0x0a;

export function createLineReader(maxBytes: number = MAX_LINE_BYTES): LineReader {
  let held: number[] = [];
  let skipped = 0;

  function take(byte: number): Line | undefined {
    if (byte !== LF) {
      if (held.length < maxBytes) held.push(byte);
      else skipped += 1;
      return undefined;
    }
    const line: Line =
      skipped > 0
        ? { kind: "overlong", bytes: held.length + skipped }
        : // Latin-1 keeps one character a byte, so that foreign bytes stay visible instead of merging into U+FFFD.
          { kind: "line", text: String.fromCharCode(...held) };
    held = [];
    skipped = 0;
    return line;
  }

  return {
    push(piece) {
      const lines: Line[] = [];
      for (const byte of piece) {
        const line = take(byte);
        if (line) lines.push(line);
      }
      return lines;
    },
  };
}
