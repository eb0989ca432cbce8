/** Why a link cannot work as it is set up; the far end speaks another protocol. */
export type Misconfiguration = "plain_port" | "enhanced_port";

/** Things that go wrong on a link without ending it. Each has a counter. */
export type LinkTrouble =
  | "framing"
  | "overrun"
  | "malformed"
  | "half_pair"
  | "stray_start"
  | "start_timeout"
  | "reset_ignored";

/** What a session tells. Called synchronously, in the order of the wire. */
export interface SessionEvents {
  /** May be used from here on: the adapter has settled. */
  ready(): void;
  /** Every symbol of the wire, our own included; an address the adapter swallowed is put back in its place. */
  symbol(symbol: number): void;
  /** The bus is ours: our address is on it, and ZZ comes next. */
  started(): void;
  /** It is not. The winner's address, or undefined when nobody's verdict came. */
  lost(winner: number | undefined): void;
  /** The adapter started over; whatever was under way is gone. */
  reset(): void;
  trouble(kind: LinkTrouble): void;
  misconfigured(what: Misconfiguration): void;
}

/** The bus as one adapter shows it: symbols, and a way to ask for the bus at the next SYN. */
export interface BusSession {
  /** Takes part in the arbitration after the next SYN that allows it. */
  contend(source: number): void;
  /** Takes a wish to contend back. */
  withdraw(): void;
  /** Puts one symbol on the wire. Its echo comes back as a symbol. */
  send(symbol: number): void;
  /** The SYN of an idle bus; for its only device, which makes them before it has an address. */
  sendSyn(): void;
  close(): void;
}
