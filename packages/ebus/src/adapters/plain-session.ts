import type { Cancel, Clock, Duration } from "@steading/kernel";
import { SYN } from "../wire/symbols.ts";
import { afterArrivals } from "./after-arrivals.ts";
import type { BusSession, SessionEvents } from "./bus-session.ts";
import type { Link } from "./link.ts";

/** First half of the pair that an enhanced adapter sends for a SYN. */
const ENHANCED_SYN = 0xc6;
/** That many SYN, all behind C6, are no coincidence: C6 is not an address, so no telegram ends that way by rule. */
const CERTAIN = 8;

/**
 * Raw symbols on a link. Nobody arbitrates for us: the address goes out in direct answer to a SYN that is the last thing
 * heard, and the echo says who won.
 */
export function createPlainSession({
  link,
  clock,
  echoWait,
  permit,
  events,
}: {
  readonly link: Link;
  readonly clock: Clock;
  readonly echoWait: Duration;
  /** Throws unless a byte may leave at this moment. The address leaves long after it was asked for. */
  readonly permit: () => void;
  readonly events: SessionEvents;
}): BusSession {
  let wanted: number | undefined;
  /** The address that was written and whose echo is due. */
  let offered: number | undefined;
  let echo: Cancel | undefined;
  let sinceSyn = 0;
  /** A SYN right behind a lone address: its sender gave up, and the bus is free only after the next one. */
  let afterLone = false;
  let previous = -1;
  let enhancedSyns = 0;
  let misconfigured = false;

  function verdict(won: boolean, winner: number | undefined): void {
    const ours = offered === wanted;
    offered = undefined;
    echo?.();
    // A bus that we no longer want is not ours to use, and no telegram may go out under another address than its own.
    if (!ours) return;
    wanted = undefined;
    if (won) events.started();
    else events.lost(winner);
  }

  function watchForPairs(symbol: number): void {
    if (symbol === SYN) {
      enhancedSyns = previous === ENHANCED_SYN ? enhancedSyns + 1 : 0;
      if (enhancedSyns === CERTAIN && !misconfigured) {
        misconfigured = true;
        events.misconfigured("enhanced_port");
      }
    }
    previous = symbol;
  }

  function hear(symbol: number): void {
    watchForPairs(symbol);
    if (symbol === SYN) {
      afterLone = sinceSyn === 1;
      sinceSyn = 0;
    } else sinceSyn += 1;
    events.symbol(symbol);
    if (offered === undefined) return;
    // A SYN may be older than our address where the adapter is slow; if the address is lost, the timer tells.
    if (symbol !== SYN) verdict(symbol === offered, symbol);
  }

  function put(symbol: number): void {
    permit();
    link.write(Uint8Array.of(symbol));
  }

  function offer(): void {
    if (wanted === undefined || offered !== undefined || misconfigured) return;
    if (previous !== SYN || afterLone) return;
    put(wanted);
    offered = wanted;
    echo = afterArrivals(clock, echoWait, () => verdict(false, undefined));
  }

  link.onPiece((piece) => {
    for (const symbol of piece) hear(symbol);
    // Only when the SYN is the last thing that came: behind an older one somebody is talking already.
    offer();
  });
  events.ready();

  return {
    contend(source) {
      permit();
      wanted = source;
    },
    withdraw() {
      wanted = undefined;
    },
    send: put,
    sendSyn() {
      if (!misconfigured) link.write(Uint8Array.of(SYN));
    },
    close() {
      echo?.();
      link.close();
    },
  };
}
