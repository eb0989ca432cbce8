import { millis, type Cancel, type Clock } from "@steading/kernel";
import { afterArrivals } from "../adapters/after-arrivals.ts";
import type { BusSession, LinkTrouble, Misconfiguration, SessionEvents } from "../adapters/bus-session.ts";
import { createDecoder, type Heard } from "../wire/decoder.ts";
import { SYN } from "../wire/symbols.ts";
import { createArbiter } from "./arbiter.ts";
import type { Gate } from "./gate.ts";
import { createSymbolCarrier, type SymbolCarrier } from "./symbol-carrier.ts";
import { OWN_SYN, type BusTiming } from "./timing.ts";

/** What a station makes of its link. */
export interface StationEvents {
  ready(): void;
  reset(): void;
  trouble(kind: LinkTrouble): void;
  misconfigured(what: Misconfiguration): void;
  symbol(symbol: number): void;
  heard(event: Heard, own: boolean): void;
  lostArbitration(): void;
  /** Nothing for longer than a SYN may take. */
  synMissed(): void;
}

/** One connection to the bus: listens to everything, and carries our telegrams. Made anew for each link. */
export interface Station {
  readonly carrier: SymbolCarrier;
  close(): void;
}

export function createStation<S extends BusSession>({
  open,
  gate,
  clock,
  timing,
  answers,
  onlyDevice,
  events,
}: {
  readonly open: (events: SessionEvents) => S;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly timing: BusTiming;
  readonly answers: (target: number) => boolean;
  /** Nobody else makes SYN on this bus, so we do. */
  readonly onlyDevice: boolean;
  readonly events: StationEvents;
}): Station & { readonly session: S } {
  const decoder = createDecoder();
  let batch: Heard[] = [];
  let lastSymbolAt = clock.monotonic();
  let watch: Cancel | undefined;
  let synTimer: Cancel | undefined;
  /** We spoke since the last SYN: whatever follows up to the next one belongs to our own telegram, late echoes too. */
  let own = false;

  function push(symbol: number): readonly Heard[] {
    batch = [];
    decoder.push(symbol, (event) => batch.push(event));
    return batch;
  }

  // One timer that looks again, instead of one a symbol.
  function look(): void {
    watch = undefined;
    const silent = clock.monotonic() - lastSymbolAt;
    if (silent < timing.syn) watch = afterArrivals(clock, millis(timing.syn - silent), look);
    else if (!carrier.busy) {
      // A byte that comes after this is late, and must not be read on as part of what stood before.
      decoder.reset();
      events.synMissed();
    }
  }

  function generateSyn(): void {
    synTimer?.();
    if (!onlyDevice || gate.readOnly) return;
    synTimer = clock.timer(OWN_SYN, () => {
      if (!carrier.busy) session.sendSyn();
      generateSyn();
    });
  }

  function onSymbol(symbol: number): void {
    lastSymbolAt = clock.monotonic();
    watch ??= afterArrivals(clock, timing.syn, look);
    generateSyn();
    const busy = carrier.busy;
    own ||= busy;
    const heard = push(symbol);
    events.symbol(symbol);
    carrier.onSymbol(symbol, heard);
    for (const event of heard) events.heard(event, own);
    if (symbol !== SYN) return;
    own = false;
    if (!busy) carrier.onSyn();
  }

  const session: S = open({
    ready() {
      generateSyn();
      events.ready();
    },
    symbol: onSymbol,
    started: () => carrier.onStarted(),
    lost: (winner) => carrier.onLost(winner),
    reset() {
      decoder.reset();
      carrier.abandon("adapter_reset");
      events.reset();
    },
    trouble: events.trouble,
    misconfigured: events.misconfigured,
  });
  const carrier = createSymbolCarrier({
    session,
    arbiter: createArbiter({ clock }),
    clock,
    timing,
    answers,
    told: { lost: events.lostArbitration },
  });

  return {
    session,
    carrier,
    close() {
      watch?.();
      synTimer?.();
      carrier.abandon("disconnected");
      session.close();
    },
  };
}
