/** What the daemon's text answer to a `hex` command amounts to. */
export type EbusdReply =
  | { readonly kind: "data"; readonly data: Uint8Array }
  /** A broadcast went out; nobody answers those. */
  | { readonly kind: "sent" }
  | { readonly kind: "failed"; readonly outcome: EbusdFailure; readonly text: string };

export type EbusdFailure =
  | "timeout"
  | "collision"
  | "nack"
  | "crc_mismatch"
  | "echo_mismatch"
  | "permission"
  | "invalid";

/** The daemon's sentences, by what they mean for the exchange. The first line that fits decides. */
const FAILURES: readonly (readonly [RegExp, EbusdFailure])[] = [
  [/read timeout|no signal|signal lost|no answer|generic I\/O error|device invalid/i, "timeout"],
  [/arbitration lost|arbitration running|collision/i, "collision"],
  [/NAK received|ACK error/i, "nack"],
  [/CRC error/i, "crc_mismatch"],
  [/SYN received|wrong symbol received/i, "echo_mismatch"],
  [/not authorized/i, "permission"],
];

/** The command that sends raw bytes. Without the length byte: the daemon counts, and counting twice corrupts the request. */
export function ebusdHexCommand(
  {
    target,
    primary,
    secondary,
    data,
  }: {
    readonly target: number;
    readonly primary: number;
    readonly secondary: number;
    readonly data: Uint8Array;
  },
  source?: number,
): string {
  const bytes = Uint8Array.of(target, primary, secondary, ...data);
  const from = source === undefined ? "" : `-s ${source.toString(16).padStart(2, "0")} `;
  return `hex -n ${from}${Buffer.from(bytes).toString("hex")}\n`;
}

/** Reads the lines of one answer, up to the empty one that ends it. */
export function readEbusdReply(lines: readonly string[]): EbusdReply {
  const texts = lines.map((line) => line.trim()).filter((line) => line !== "");
  if (texts.length === 0) return failed("timeout", "");
  const complaint = texts.find((text) => /^ERR\b/i.test(text));
  if (complaint !== undefined) return failed(failureOf(complaint), complaint);
  if (texts.some((text) => /^done broadcast$/i.test(text))) return { kind: "sent" };
  for (const text of texts) {
    const bytes = hexBytes(text);
    if (bytes !== undefined) return { kind: "data", data: withoutLength(bytes) };
  }
  return failed("invalid", texts[0] ?? "");
}

function failed(outcome: EbusdFailure, text: string): EbusdReply {
  return { kind: "failed", outcome, text };
}

function failureOf(text: string): EbusdFailure {
  return FAILURES.find(([pattern]) => pattern.test(text))?.[1] ?? "invalid";
}

function hexBytes(text: string): Uint8Array | undefined {
  const digits = text.replace(/^0x/i, "").replace(/[ \t]+/g, "");
  if (digits.length === 0 || digits.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(digits)) return undefined;
  return Uint8Array.from(Buffer.from(digits, "hex"));
}

function withoutLength(bytes: Uint8Array): Uint8Array {
  return bytes[0] === bytes.length - 1 ? bytes.slice(1) : bytes;
}
