/** Bytes as the contract prints them: `AA 01`. */
export function toHex(bytes: Iterable<number>): string {
  return [...bytes].map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
}

/** Accepts `AA 01` and `AA01`. */
export function fromHex(text: string): Uint8Array {
  const digits = text.replaceAll(/\s+/g, "");
  if (digits.length % 2 !== 0 || /[^0-9a-fA-F]/.test(digits)) throw new Error(`Not hex bytes: ${text}`);
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16),
  );
}
