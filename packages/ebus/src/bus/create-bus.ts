import { millis, seconds, type Cancel, type Clock, type Duration, type Log, type Reception } from "@steading/kernel";
import type { AdapterProtocol } from "../adapters/adapter-address.ts";
import type { Misconfiguration } from "../adapters/bus-session.ts";
import { createEbusdSession, type EbusdSession } from "../adapters/ebusd-session.ts";
import { createEnhSession } from "../adapters/enh-session.ts";
import { guardLink, type GuardedLink } from "../adapters/guarded-link.ts";
import type { Dial, Link } from "../adapters/link.ts";
import { createPlainSession } from "../adapters/plain-session.ts";
import { ebusError } from "../ebus-errors.ts";
import { isInitiator } from "../wire/addresses.ts";
import type { Heard } from "../wire/decoder.ts";
import { SYN } from "../wire/symbols.ts";
import type { Command } from "../wire/telegram.ts";
import { createAdapterWatch, type AdapterReport, type AdapterWatch } from "./adapter-watch.ts";
import { createAdmission } from "./admission.ts";
import type { BusCounters, BusState, BusTelegram } from "./bus-events.ts";
import type { Carrier } from "./carrier.ts";
import { createCensus, type Census } from "./census.ts";
import { createConnection } from "./connection.ts";
import { createBusTally } from "./bus-tally.ts";
import type { ExchangeResult } from "./exchange-result.ts";
import { createGate, sourceNotActive } from "./gate.ts";
import { isKnownRead } from "./read-commands.ts";
import { createSendQueue, type Priority } from "./send-queue.ts";
import { createSignal } from "./signal.ts";
import { DEFAULT_SOURCE, type SourceSelection } from "./source-selection.ts";
import { createTextCarrier } from "./text-carrier.ts";
import { createStation, type Station, type StationEvents } from "./station.ts";
import { createWriteEffect, type BusWrite, type Telegraph, type WriteWire } from "./write-effect.ts";
import { busTiming, JITTER_MS, type BusTiming } from "./timing.ts";

const REQUEST_WAIT = seconds(2);
const WRITE_WAIT = seconds(10);
const WARM_UP = seconds(10);
const NOTHING = new Uint8Array();

export interface BusRead extends Omit<Command, "source"> {
  /** Not satisfied by an equal telegram that is on its way already. */
  readonly fresh?: boolean;
  /** Default `call`. */
  readonly priority?: Exclude<Priority, "write">;
  /** Default 2 s. */
  readonly timeout?: Duration;
  readonly signal?: AbortSignal;
}

interface SendOptions extends Pick<BusRead, "fresh" | "timeout" | "signal"> {
  readonly read: boolean;
  readonly priority?: Priority;
  readonly probe?: boolean;
  firstByte?(): void;
}

export interface EbusBus {
  start(signal: AbortSignal): void;
  stop(): Promise<void>;
  /**
   * Asks a device. What went wrong on the bus is a value; throws what kept it from being tried, and refuses whatever is
   * not known to be a mere question.
   */
  read(request: BusRead): Promise<ExchangeResult>;
  /** The other way to the wire: something for the door to carry out. */
  write(write: BusWrite): ReturnType<typeof createWriteEffect>;
  onTelegram(listener: (heard: BusTelegram) => void): Cancel;
  onHeard(listener: (event: Heard, own: boolean) => void): Cancel;
  /** Every symbol of the wire, for recordings. */
  onSymbol(listener: (symbol: number) => void): Cancel;
  onState(listener: (state: BusState) => void): Cancel;
  readonly state: BusState;
  readonly counters: BusCounters;
  readonly census: Pick<Census, "spoke" | "answers" | "targets">;
  readonly selection: SourceSelection | undefined;
}

export interface BusDeps {
  /** Tells several buses apart; the name of its lane at the door. */
  readonly name: string;
  readonly reception: Reception;
  readonly dial: Dial;
  readonly protocol: AdapterProtocol;
  readonly clock: Clock;
  readonly log: Log;
  /** Never sends a byte to the bus. */
  readonly readOnly?: boolean;
  /** Default 71. */
  readonly source?: number;
  /** What the adapter may add to each symbol, 0 to 60. Default 60 on a network, where nobody promises less. */
  readonly latencyMs?: number;
  /** What a busy machine or network may add on top, now and then. Default 200. */
  readonly jitterMs?: number;
  /** Waits of its own, for a line that is slower than any adapter may be. */
  readonly timing?: Partial<BusTiming>;
  /** How long to listen before the first byte. Default 10 s. */
  readonly warmUp?: Duration;
  readonly onlyDevice?: boolean;
}

/** One bus behind one adapter. A factory only remembers. */
export function createBus(deps: BusDeps): EbusBus {
  const { name, reception, dial, protocol, clock, log, readOnly = false, source: configured = DEFAULT_SOURCE } = deps;
  if (!isInitiator(configured)) throw ebusError("INVALID_ARGUMENT", `Source ${configured} is not an initiator address`);
  const { latencyMs = 60, jitterMs = JITTER_MS, warmUp = WARM_UP, onlyDevice = false } = deps;
  const timing: BusTiming = { ...busTiming({ latencyMs, jitterMs }), ...deps.timing };
  const gate = createGate({ readOnly, onShut: refuseAll });
  const census = createCensus();
  const tally = createBusTally();
  const telegramListeners = new Set<(heard: BusTelegram) => void>();
  const heardListeners = new Set<(event: Heard, own: boolean) => void>();
  const symbolListeners = new Set<(symbol: number) => void>();
  const stateListeners = new Set<(state: BusState) => void>();
  const signal = createSignal({ clock, changed: () => changed() });
  let station: Station | undefined;
  let daemon: EbusdSession | undefined;
  let carrier: Carrier | undefined;
  let connected = false;
  let ready = false;
  let misconfigured: Misconfiguration | undefined;
  let adapter: AdapterReport | undefined;
  let adapterWatch: AdapterWatch | undefined;

  const queue = createSendQueue({ carrier: () => (ready ? carrier : undefined), clock });
  const admission = createAdmission({
    gate,
    census,
    clock,
    log,
    configured,
    warmUp,
    usable: () => ready && misconfigured === undefined && signal.state === "ok",
    identify: (from, target) =>
      send({ source: from, target, primary: 0x07, secondary: 0x04, data: NOTHING }, { read: false, probe: true }),
    changed: () => changed(),
  });
  const connection = createConnection({ dial, clock, log, opened, closed });

  /** Nothing of what was asked for under an address may leave without it, and nobody is left waiting. */
  function refuseAll(): void {
    queue.clear(sourceNotActive());
    station?.carrier.refuse(sourceNotActive());
  }

  function state(): BusState {
    const { state: sourceState, source } = admission;
    return { connected, ready, signal: signal.state, sourceState, source, misconfigured, adapter };
  }
  function changed(): void {
    tellAll(stateListeners, state());
  }
  /** Whoever watches the bus must not be able to end it. */
  function tellAll<T extends readonly unknown[]>(listeners: Iterable<(...given: T) => void>, ...given: T): void {
    for (const listener of listeners)
      try {
        listener(...given);
      } catch (cause) {
        tally.fault();
        log.error("Somebody who watches the eBUS failed.", cause);
      }
  }

  function send(command: Command, options: SendOptions): Promise<ExchangeResult> {
    const { probe = false, read, fresh, priority = "call", timeout = REQUEST_WAIT, signal: abort, firstByte } = options;
    gate.check(probe);
    const deadline = clock.monotonic() + timeout;
    return queue
      .submit({
        command,
        read,
        priority,
        deadline,
        ...(fresh !== undefined && { fresh }),
        ...(abort && { signal: abort }),
        ...(firstByte && { firstByte }),
      })
      .then((result) => {
        tally.outcome(result);
        if (result.response !== undefined) census.answered(command.target);
        return result;
      });
  }

  const from = (command: Telegraph): Command => ({ ...command, source: admission.source ?? configured });
  const writeWire: WriteWire = {
    async send(command, { signal: abort, firstByte }) {
      return send(from(command), { read: false, priority: "write", timeout: WRITE_WAIT, signal: abort, firstByte });
    },
    async readFresh(command, abort) {
      return send(from(command), { read: true, fresh: true, priority: "write", signal: abort });
    },
  };

  function heard(event: Heard, own: boolean): void {
    tally.heard(event);
    admission.hear(event, own);
    tellAll(heardListeners, event, own);
    if (event.kind === "telegram")
      tellAll(telegramListeners, { scope: own ? "active" : "passive", telegram: event.telegram, at: clock.now() });
  }

  const stationEvents: StationEvents = {
    ready() {
      ready = true;
      admission.listen();
      changed();
    },
    reset() {
      ready = false;
      adapter = undefined;
      tally.reset();
      changed();
    },
    trouble: (kind) => tally.trouble(kind),
    misconfigured(what) {
      misconfigured = what;
      admission.withdraw();
    },
    symbol(symbol) {
      tally.symbol(symbol);
      tellAll(symbolListeners, symbol);
      if (symbol !== SYN) return void (station?.carrier.busy && signal.onOwnSymbol());
      signal.onSyn();
      connection.healthy();
    },
    heard,
    lostArbitration: () => tally.lost(),
    synMissed: () => tally.synMissed(),
  };

  function opened(given: Link): void {
    connected = true;
    misconfigured = undefined;
    const guarded = guardLink({
      link: given,
      clock,
      failed(cause) {
        tally.fault();
        log.error("A session with the eBUS adapter failed and is made again.", cause);
      },
    });
    if (protocol === "text") openText(guarded);
    else openStation(guarded);
    changed();
  }

  function openText({ link, clock: own }: GuardedLink): void {
    daemon = createEbusdSession({ link, clock: own });
    carrier = createTextCarrier({ session: daemon, clock, gate });
    ready = true;
    connection.healthy();
    admission.leaveToDaemon();
  }

  function openStation({ link, clock: own }: GuardedLink): void {
    const shared = { gate, clock: own, timing, onlyDevice, answers: census.answers };
    const common = { link, clock: own, permit: gate.permit };
    if (protocol === "plain") {
      station = createStation({
        ...shared,
        events: stationEvents,
        open: (events) => createPlainSession({ ...common, echoWait: timing.echo, events }),
      });
    } else {
      const made = createStation({
        ...shared,
        events: {
          ...stationEvents,
          ready() {
            stationEvents.ready();
            watch.begin();
          },
          reset() {
            watch.stop();
            stationEvents.reset();
          },
        },
        open: (events) => createEnhSession({ ...common, latency: millis(latencyMs), greetUnheard: !readOnly, events }),
      });
      const watch = createAdapterWatch({
        ask: made.session.askInfo,
        clock,
        told(report) {
          adapter = report;
          changed();
        },
      });
      adapterWatch = watch;
      station = made;
    }
    carrier = station.carrier;
  }

  function closed(): void {
    adapterWatch?.stop();
    station?.close();
    station = undefined;
    daemon?.close();
    daemon = undefined;
    carrier = undefined;
    connected = false;
    ready = false;
    adapter = undefined;
    signal.stop();
    queue.clear();
    changed();
  }

  return {
    start: (given) => connection.start(given),
    async stop() {
      queue.clear();
      station?.carrier.abandon("disconnected");
      admission.stop();
      await connection.stop();
    },
    async read({ target, primary, secondary, data, ...options }) {
      gate.check(false);
      if (!isKnownRead({ primary, secondary, data }))
        throw ebusError("PERMISSION_DENIED", "This command may change something; it must go through the door.");
      return send(from({ target, primary, secondary, data }), { ...options, read: true });
    },
    write: (write) => createWriteEffect({ lane: `ebus:${name}`, wire: writeWire, reception, write }),
    onTelegram: listenIn(telegramListeners),
    onHeard: (listener) => {
      heardListeners.add(listener);
      return () => void heardListeners.delete(listener);
    },
    onSymbol: listenIn(symbolListeners),
    onState: listenIn(stateListeners),
    get state() {
      return state();
    },
    get counters() {
      return tally.counters({ queue: queue.counters, connection });
    },
    census,
    get selection() {
      return admission.selection;
    },
  };
}

function listenIn<T>(listeners: Set<(value: T) => void>): (listener: (value: T) => void) => Cancel {
  return (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
}
