import {
  seconds,
  type Cancel,
  type Clock,
  type Duration,
  type Health,
  type Log,
  type Part,
  type Reception,
} from "@steading/kernel";
import { readAdapterAddress } from "./adapters/adapter-address.ts";
import { createAdapterDial } from "./adapters/dial-adapter.ts";
import type { Dial } from "./adapters/link.ts";
import type { BusState, BusTelegram } from "./bus/bus-events.ts";
import { createBus, type EbusBus } from "./bus/create-bus.ts";
import { isOutage } from "./bus/outage.ts";
import type { HeatingView } from "./graph/heating-view.ts";
import { createAskedBook } from "./registry/asked-book.ts";
import { createDeviceBook, type KnownDevice } from "./registry/device-book.ts";
import { allTargets, scan } from "./registry/scan.ts";
import { isTarget } from "./wire/addresses.ts";

/** `heard`: only addresses that answered others already. `all`: every address a device can have. */
export type ScanReach = "off" | "heard" | "all";

export interface EbusPartDeps {
  readonly name?: string;
  /** Such as `enh://192.168.1.5:9999`. */
  readonly adapter: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly reception: Reception;
  readonly view: HeatingView;
  readonly readOnly?: boolean;
  readonly source?: number;
  readonly latencyMs?: number;
  readonly warmUp?: Duration;
  /** Default `heard`: asking everybody disturbs regulators, and what is there is heard sooner or later. */
  readonly scan?: ScanReach;
  /** Instead of the adapter's own way. */
  readonly dial?: Dial;
}

export interface EbusPart extends Part {
  readonly bus: EbusBus;
  readonly devices: readonly KnownDevice[];
}

/** Between two looks for devices that were heard since, or are due again. */
const LOOK_AGAIN = seconds(60);
/** Burner, regulator with its alias, modules and gateway, where they mostly are: asked before the rest. */
const USUAL = [0x08, 0x15, 0xec, 0x26, 0x35, 0xf6, 0x04] as const;
const SHOW_EVERY = seconds(5);

/** The heating bus as a part: connects, listens, gets an address, finds devices. */
export function createEbusPart(deps: EbusPartDeps): EbusPart {
  const { name = "ebus", clock, log, reception, view, scan: reach = "heard" } = deps;
  const address = readAdapterAddress(deps.adapter);
  const bus = createBus({
    name,
    dial: deps.dial ?? createAdapterDial({ address, clock }),
    protocol: address.protocol,
    clock,
    log,
    reception,
    ...(deps.readOnly !== undefined && { readOnly: deps.readOnly }),
    ...(deps.source !== undefined && { source: deps.source }),
    ...(deps.latencyMs !== undefined && { latencyMs: deps.latencyMs }),
    ...(deps.warmUp !== undefined && { warmUp: deps.warmUp }),
  });
  const book = createDeviceBook({ spoke: bus.census.spoke });
  const asked = createAskedBook({ clock, answers: bus.census.answers });
  /** Devices that were not met since the last outage, by address. */
  const unmet = new Set<number>();
  let away = false;
  /** The bus can be heard and used. */
  let usable = false;
  /** Aborted when what a look was about to do is no longer the first thing to do. */
  let round = new AbortController();
  const cancels: Cancel[] = [];
  let own: AbortController | undefined;
  let looking: Promise<void> = Promise.resolve();

  const admitted = (): boolean => bus.state.sourceState === "admitted" || bus.state.sourceState === "daemon";
  const show = (): void => view.bus(bus.state, bus.counters);

  async function look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { signal: mine } = round;
      try {
        if (usable) await askAll(mine);
      } catch (error) {
        // Such as an address that was lost halfway: the next round goes on where this one ended.
        if (!mine.aborted) log.warn("A look for heating devices was broken off.", { reason: String(error) });
      }
      await clock.sleep(LOOK_AGAIN, mine).catch(() => undefined); // a round that was broken off is followed at once
    }
  }

  async function askAll(signal: AbortSignal): Promise<void> {
    // Who is in doubt since an outage, then what was heard: a house is known long before every address was asked.
    await ask(book.devices.flatMap(({ addresses }) => addresses).filter(isTarget), signal);
    await ask(bus.census.targets, signal);
    if (reach === "all") await ask([...new Set([...USUAL, ...allTargets()])], signal);
  }

  function lookAnew(): void {
    round.abort();
    round = new AbortController();
    if (own?.signal.aborted) round.abort();
  }

  async function ask(candidates: readonly number[], signal: AbortSignal): Promise<void> {
    const targets = candidates.filter(asked.due);
    if (targets.length === 0 || !admitted()) return;
    await scan({
      read: bus.read,
      clock,
      targets,
      signal,
      known: bus.census.answers,
      found(device) {
        asked.found(device.address);
        const known = book.add(device);
        unmet.delete(known.address);
        view.device(known);
      },
      unanswered: asked.silent,
    });
  }

  /** After an outage nobody knows who is still there: whoever was found is asked again, unless it is heard before. */
  function watchOutage(): void {
    const outage = isOutage(bus.state);
    if (outage && !away) {
      asked.doubtFound();
      for (const { address } of book.devices) unmet.add(address);
    }
    away = outage;
    const was = usable;
    usable = !outage && bus.state.ready && admitted();
    // Also when the address was lost: a look that waits for the next minute would leave the devices in doubt for it.
    if (usable && !was) lookAnew();
  }

  function meet({ telegram: { target, response } }: BusTelegram): void {
    if (unmet.size === 0 || response === undefined) return;
    const device = book.devices.find(({ addresses }) => addresses.includes(target));
    if (device && unmet.delete(device.address)) view.device(device);
  }

  function lookFrom(signal: AbortSignal): Promise<void> {
    return look(signal).catch((error: unknown) => {
      if (!signal.aborted) log.error("Looking for heating devices ended.", error);
    });
  }

  function showRegularly(signal: AbortSignal): void {
    if (signal.aborted) return;
    show();
    cancels[0] = clock.timer(SHOW_EVERY, () => showRegularly(signal));
  }

  return {
    name,
    toolsets: [],
    bus,
    get devices() {
      return book.devices;
    },
    async start(given) {
      if (own) return;
      own = new AbortController();
      const signal = AbortSignal.any([given, own.signal]);
      signal.addEventListener("abort", () => round.abort(), { once: true });
      let begun = false;
      const forget = bus.onState(() => {
        watchOutage();
        show();
        if (begun || reach === "off" || !admitted()) return;
        begun = true;
        looking = lookFrom(signal);
      });
      showRegularly(signal);
      cancels[1] = forget;
      cancels[2] = bus.onTelegram(meet);
      bus.start(signal);
    },
    async stop() {
      own?.abort();
      for (const cancel of cancels.splice(0)) cancel();
      await bus.stop();
      await looking;
      own = undefined;
    },
    health: () => healthOf(bus.state, deps.adapter),
  };
}

const MISCONFIGURED = {
  plain_port: "speaks the plain protocol; write its address with tcp-plain:// or serial://",
  enhanced_port: "speaks the enhanced protocol; write its address with enh:// or ens://",
} as const;

function healthOf({ connected, misconfigured, signal, sourceState }: BusState, adapter: string): Health {
  if (!connected) return { status: "down", reason: `The eBUS adapter ${adapter} is not connected.` };
  if (misconfigured) return { status: "down", reason: `The adapter at ${adapter} ${MISCONFIGURED[misconfigured]}.` };
  if (sourceState === "daemon") return { status: "ok" };
  if (signal !== "ok") return { status: "degraded", reason: "There is no signal on the eBUS." };
  if (sourceState === "degraded")
    return { status: "degraded", reason: "No free source address was found on the eBUS; nothing is sent." };
  return { status: "ok" };
}
