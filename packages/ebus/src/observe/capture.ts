import { ebusError } from "../ebus-errors.ts";
import { createDecoder, type Broken } from "../wire/decoder.ts";
import { SYN } from "../wire/symbols.ts";
import type { BusTelegram } from "../bus/bus-events.ts";

/** First line of a recording, so that any other file is refused instead of read as noise. */
const CAPTURE_HEAD = "# steading ebus capture 1";
/** Noise without a SYN is cut there; no telegram is longer. */
const LINE_SYMBOLS = 128;
const LONGEST_LINE = 4_096;

export interface CaptureWriter {
  symbol(symbol: number, at: number): void;
  /** What is still held back. */
  end(): void;
}

/** Symbols as lines of `<epoch ms> <hex>`, the time being that of the line's first symbol. */
export function createCaptureWriter(write: (text: string) => void): CaptureWriter {
  let held: number[] = [];
  let since = 0;
  function flush(): void {
    if (held.length > 0) write(`${Math.floor(since)} ${Buffer.from(held).toString("hex")}\n`);
    held = [];
  }
  write(`${CAPTURE_HEAD}\n`);
  return {
    symbol(symbol, at) {
      if (held.length === 0) since = at;
      held.push(symbol);
      // Each telegram keeps its own time, and noise without a SYN does not pile up.
      if (symbol === SYN || held.length >= LINE_SYMBOLS) flush();
    },
    end: flush,
  };
}

export interface ReplaySummary {
  readonly symbols: number;
  readonly syns: number;
  readonly telegrams: number;
  readonly broken: Readonly<Partial<Record<Broken, number>>>;
  /** Milliseconds from the first line to the last. */
  readonly spanMs: number;
}

export interface Replay {
  /** One line of the recording, the first being its head. Throws INVALID_ARGUMENT for what is none. */
  line(text: string): void;
  readonly summary: ReplaySummary;
}

/** Reads a recording through the same decoder that listens to a bus. Holds one telegram at a time. */
export function createReplay({ telegram }: { readonly telegram: (heard: BusTelegram) => void }): Replay {
  const decoder = createDecoder();
  const broken: Partial<Record<Broken, number>> = {};
  let [lines, symbols, syns, telegrams] = [0, 0, 0, 0];
  let first: number | undefined;
  let last = 0;

  function hear(symbol: number, at: number): void {
    symbols += 1;
    if (symbol === SYN) syns += 1;
    decoder.push(symbol, (event) => {
      if (event.kind === "broken") broken[event.reason] = (broken[event.reason] ?? 0) + 1;
      if (event.kind !== "telegram") return;
      telegrams += 1;
      telegram({ scope: "passive", telegram: event.telegram, at });
    });
  }

  return {
    line(text) {
      lines += 1;
      if (lines === 1 && text.trim() !== CAPTURE_HEAD)
        throw ebusError(
          "INVALID_ARGUMENT",
          `This is no recording of an eBUS: its first line is not "${CAPTURE_HEAD}".`,
        );
      if (text.trim() === "" || text.startsWith("#")) return;
      const [, time, bytes] =
        (text.length > LONGEST_LINE ? null : /^(\d{1,15}) ((?:[0-9a-f]{2})+)\s*$/i.exec(text)) ?? [];
      if (time === undefined || bytes === undefined)
        throw ebusError("INVALID_ARGUMENT", `Line ${lines} of the recording is not "<milliseconds> <hex>".`);
      last = Number(time);
      first ??= last;
      for (const symbol of Buffer.from(bytes, "hex")) hear(symbol, last);
    },
    get summary() {
      return { symbols, syns, telegrams, broken: { ...broken }, spanMs: last - (first ?? last) };
    },
  };
}
