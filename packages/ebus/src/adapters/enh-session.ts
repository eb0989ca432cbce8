import { millis, seconds, type Cancel, type Clock, type Duration } from "@steading/kernel";
import { SYN } from "../wire/symbols.ts";
import type { BusSession, SessionEvents } from "./bus-session.ts";
import { createEnhDecoder, encodeEnh, type EnhEvent } from "./enh-codec.ts";
import { createInfoReader } from "./enh-info.ts";
import type { Link } from "./link.ts";

const RESETTED_WAIT = seconds(1);
/** Some adapters answer INIT twice; a RESETTED that comes later than this means that the adapter rebooted. */
const RESETTED_TWICE = seconds(3);
const SETTLE = millis(200);
const HALF_PAIR_WAIT = millis(100);
const START_SYNS = 3;
const FEATURE_INFO = 0x01;
/** An adapter that shows nothing for so long may be one that waits for its greeting. */
const UNHEARD_WAIT = millis(500);
/** Bare SYN bytes without a SYN as a pair among them: the far end is a plain port. */
const CERTAIN = 8;
/**
 * So many SYN as pairs, with nothing between them that is not ENH: the far end is an enhanced port. One would not do,
 * since a telegram that ends in C6 looks the same on a plain port. Other pairs prove nothing: a plain port echoes our own
 * greeting, which then looks like RESETTED.
 */
const PROOF = 2;

export interface EnhSession extends BusSession {
  /** Undefined: the adapter did not say that it can tell, did not answer, or has not proved to be one yet. */
  askInfo(id: number): Promise<Uint8Array | undefined>;
  /** Undefined while unknown. */
  readonly features: number | undefined;
}

/**
 * Pairs of the enhanced protocol on a link. The adapter arbitrates; escaping stays with us, in both directions. Until the
 * far end has proved to be enhanced nothing is sent: a plain port would put it on the bus.
 */
export function createEnhSession({
  link,
  clock,
  latency = millis(0),
  greetUnheard,
  permit,
  events,
}: {
  readonly link: Link;
  readonly clock: Clock;
  /** What the adapter may add to each symbol. */
  readonly latency?: Duration;
  /** Also greets a port that shows nothing at all. False where no byte may ever reach a bus. */
  readonly greetUnheard: boolean;
  /** Throws unless something may go to the bus at this moment. What stays in the adapter needs no leave. */
  readonly permit: () => void;
  readonly events: SessionEvents;
}): EnhSession {
  const decoder = createEnhDecoder();
  const info = createInfoReader({ clock, request: (id) => link.write(encodeEnh("info", id)) });
  let features: number | undefined;
  let phase: "unheard" | "greeting" | "settling" | "ready" = "unheard";
  let greetedAt = 0;
  let phaseTimer: Cancel | undefined;
  let halfPair: Cancel | undefined;
  let wanted: { readonly source: number; readonly at: number; syns: number } | undefined;
  let bareSyns = 0;
  let pairedSyns = 0;
  let proved = false;
  let misconfigured = false;

  function waitToBeHeard(): void {
    if (!greetUnheard) return;
    phaseTimer = clock.timer(UNHEARD_WAIT, () => {
      if (bareSyns === 0) greet();
      else waitToBeHeard();
    });
  }
  function greet(): void {
    phase = "greeting";
    greetedAt = clock.monotonic();
    link.write(encodeEnh("init", FEATURE_INFO));
    phaseTimer = clock.timer(RESETTED_WAIT, ready);
  }
  function ready(): void {
    phase = "ready";
    if (!misconfigured) events.ready();
  }
  function settle(then: () => void): void {
    phase = "settling";
    phaseTimer?.();
    phaseTimer = clock.timer(SETTLE, then);
  }

  function onResetted(given: number): void {
    if (phase === "greeting") {
      features = given;
      return settle(ready);
    }
    if (phase !== "ready" || clock.monotonic() - greetedAt < RESETTED_TWICE) return events.trouble("reset_ignored");
    wanted = undefined;
    features = undefined;
    info.drop();
    events.reset();
    settle(greet);
  }

  function onSymbol(symbol: number): void {
    events.symbol(symbol);
    // What is heard within the latency was on the wire before the adapter knew of our wish.
    if (symbol !== SYN || !wanted || clock.monotonic() - wanted.at < latency) return;
    wanted.syns += 1;
    if (wanted.syns < START_SYNS) return;
    wanted = undefined;
    link.write(encodeEnh("start", SYN));
    events.trouble("start_timeout");
    events.lost(undefined);
  }

  function onStarted(source: number): void {
    decoder.reset();
    events.symbol(source);
    const ours = wanted?.source === source;
    wanted = undefined;
    // A bus that we no longer want is not ours to use: without a word from us the next SYN frees it.
    if (ours) events.started();
    else events.trouble("stray_start");
  }

  function onFailed(winner: number): void {
    decoder.reset();
    events.symbol(winner);
    if (!wanted) return events.trouble("stray_start");
    wanted = undefined;
    events.lost(winner);
  }

  function onPairedSyn(): void {
    pairedSyns += 1;
    if (pairedSyns < PROOF || misconfigured) return;
    bareSyns = 0;
    proved = true;
    if (phase !== "unheard") return;
    phaseTimer?.();
    greet();
  }

  function onMalformed(event: Extract<EnhEvent, { kind: "malformed" }>): void {
    events.trouble("malformed");
    pairedSyns = 0;
    if (event.what !== "orphan" || event.byte !== SYN) return;
    bareSyns += 1;
    if (bareSyns < CERTAIN || misconfigured) return;
    misconfigured = true;
    if (phase === "unheard") phaseTimer?.();
    events.misconfigured("plain_port");
  }

  function hear(event: EnhEvent): void {
    if (event.kind === "received" && event.symbol === SYN) onPairedSyn();
    switch (event.kind) {
      case "resetted":
        return onResetted(event.features);
      case "received":
        return onSymbol(event.symbol);
      case "started":
        return onStarted(event.source);
      case "failed":
        return onFailed(event.winner);
      case "info":
        return info.byte(event.byte);
      case "bus-error":
      case "host-error":
        return events.trouble(event.code === 1 ? "overrun" : "framing");
      case "malformed":
        return onMalformed(event);
    }
  }

  link.onPiece((piece) => {
    halfPair?.();
    halfPair = undefined;
    for (const byte of piece) decoder.push(byte, hear);
    if (!decoder.halfPair) return;
    halfPair = clock.timer(HALF_PAIR_WAIT, () => {
      decoder.reset();
      events.trouble("half_pair");
    });
  });
  waitToBeHeard();

  return {
    contend(source) {
      permit();
      wanted = { source, at: clock.monotonic(), syns: 0 };
      link.write(encodeEnh("start", source));
    },
    withdraw() {
      if (!wanted) return;
      wanted = undefined;
      if (!misconfigured) link.write(encodeEnh("start", SYN));
    },
    send(symbol) {
      permit();
      link.write(encodeEnh("send", symbol));
    },
    sendSyn() {
      if (!misconfigured) link.write(encodeEnh("send", SYN));
    },
    async askInfo(id) {
      if (misconfigured || !proved || features === undefined || (features & FEATURE_INFO) === 0) return undefined;
      return info.ask(id);
    },
    get features() {
      return features;
    },
    close() {
      phaseTimer?.();
      halfPair?.();
      info.drop();
      link.close();
    },
  };
}
