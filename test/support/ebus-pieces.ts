import { createBus, type AdapterAddress, type Link } from "@steading/ebus";
import { createManualClock, createReception, millis, silentLog } from "@steading/kernel";

export interface Listener {
  /** One piece as it comes from a socket. */
  say(piece: readonly number[]): void;
  /** What was heard to its end since the last look, as text. */
  telegrams(): string[];
  stop(): Promise<void>;
}

/** The product's listening path behind a link in memory: session, station, decoder, bus. */
export async function listen(protocol: Exclude<AdapterAddress["protocol"], "text">): Promise<Listener> {
  const clock = createManualClock();
  let take: (piece: Uint8Array) => void = () => {};
  let ended = (): void => {};
  const link: Link = {
    write() {},
    onPiece: (given) => (take = given),
    onEnd: (given) => (ended = given),
    close: () => ended(),
  };
  const bus = createBus({
    name: "pieces",
    protocol,
    readOnly: true,
    dial: async () => link,
    clock,
    reception: createReception(clock),
    log: silentLog,
  });
  let heard: string[] = [];
  bus.onTelegram(({ telegram: { source, target, primary, secondary, data, response } }) =>
    heard.push([source, target, primary, secondary, ...data, ":", ...(response ?? [])].join(" ")),
  );
  bus.start(new AbortController().signal);
  await clock.advance(millis(0));
  return {
    say: (piece) => take(Uint8Array.from(piece)),
    telegrams: () => heard.splice(0),
    stop: () => bus.stop(),
  };
}

/** Symbols as an enhanced adapter sends them: below 80 as they are, the others as pairs. */
export function asPairs(symbols: readonly number[]): number[] {
  return symbols.flatMap((symbol) => (symbol < 0x80 ? [symbol] : [0xc4 | (symbol >> 6), 0x80 | (symbol & 0x3f)]));
}

/** The same bytes in pieces of 1 to `most`, in order. */
export function cut(bytes: readonly number[], most: number, pick: (below: number) => number): number[][] {
  const pieces: number[][] = [];
  for (let at = 0; at < bytes.length;) {
    const next = at + 1 + pick(most);
    pieces.push(bytes.slice(at, next));
    at = next;
  }
  return pieces;
}
