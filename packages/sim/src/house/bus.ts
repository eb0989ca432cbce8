import type { BusMember, Heard } from "./bus-member.ts";
import type { BusTiming } from "./bus-timing.ts";
import type { HouseClock } from "./clock.ts";
import { createExchangeTracker, type Turn } from "./exchange-tracker.ts";
import type { Exchange } from "./exchange.ts";
import type { ArmedFaults } from "./faults.ts";
import { SYN } from "./symbols.ts";

/** Symbols waiting for the wire; a host that floods it loses the rest, counted. */
const MOST_WAITING = 1_024;

export interface BusCounters {
  readonly symbols: number;
  readonly syns: number;
  readonly arbitrations: number;
  /** Arbitrations in which no address stood alone against the wire. */
  readonly collisions: number;
  /** Symbols lost because too many waited. */
  readonly overrun: number;
}

/** The one wire of the house. */
export interface Bus {
  /** Joins a participant; the result makes it leave. */
  join(member: BusMember): () => void;
  /** True from a SYN up to the first other symbol: an address sent in between takes part in the arbitration. */
  readonly slotOpen: boolean;
  /** Takes part in the open arbitration. */
  contend(member: BusMember, address: number): void;
  /** Puts symbols on the wire, one after the other, after those that wait. */
  send(member: BusMember, symbols: readonly number[]): void;
  /** Every symbol, in order, for whoever wants to watch. */
  watch(listener: (symbol: number, at: number) => void): () => void;
  readonly turn: Turn;
  readonly counters: BusCounters;
}

export interface BusControl extends Bus {
  start(): void;
  stop(): void;
  /** A line fault was turned: the SYN generator starts over. */
  lineChanged(): void;
}

export function createBus({
  clock,
  timing,
  faults,
  latencyMs,
  thief,
  onExchange,
}: {
  clock: HouseClock;
  timing: BusTiming;
  faults: ArmedFaults;
  /** What a slow adapter adds to each symbol; the SYN generator waits that much longer for a host. */
  latencyMs: () => number;
  /** Readies the house's initiator of that address to take over a stolen slot. */
  thief: (address: number) => BusMember | undefined;
  onExchange: (exchange: Omit<Exchange, "order">) => void;
}): BusControl {
  const tracker = createExchangeTracker();
  const members = new Set<BusMember>();
  const watchers = new Set<(symbol: number, at: number) => void>();
  const waiting: { readonly symbol: number; readonly by: BusMember }[] = [];
  const contenders = new Map<BusMember, number>();
  const line: BusMember = { name: "line", outside: false, hear: () => {} };
  const counters = { symbols: 0, syns: 0, arbitrations: 0, collisions: 0, overrun: 0 };
  let running = false;
  let slotOpen = false;
  let slotEndsAt = 0;
  let freeAt = 0;
  let holder: BusMember | undefined;
  let cancelAir: (() => void) | undefined;
  let cancelSlot: (() => void) | undefined;
  let cancelIdle: (() => void) | undefined;

  function after(ms: number, fire: () => void): () => void {
    return clock.timer(Math.max(0, ms), fire);
  }

  function waitForIdle(): void {
    cancelIdle?.();
    if (!running) return;
    const slowHost = holder?.outside === true && tracker.turn === "initiator";
    const idleMs = faults.stuckSyn.left > 0 ? timing.symbolMs : timing.synMs;
    cancelIdle = after(slowHost ? timing.hostTurnMs + 2 * latencyMs() : idleMs, generateSyn);
  }

  function generateSyn(): void {
    if (waiting.length > 0 || cancelSlot !== undefined) return; // that symbol's delivery starts the wait again
    deliver({ symbol: SYN, by: line });
    makeNoise();
  }

  /** Faults that show on a bus nobody uses. */
  function makeNoise(): void {
    if (!slotOpen || contenders.size > 0 || waiting.length > 0) return;
    const ghost = faults.ghost.strike();
    if (ghost !== undefined) return send(line, [ghost.of[0] & ghost.of[1]]);
    const noise = faults.noise.strike(({ at }) => at === "idle");
    if (noise !== undefined) send(line, noise.bytes);
  }

  function deliver({ symbol: sent, by, slot }: { symbol: number; by: BusMember; slot?: Map<BusMember, number> }): void {
    const at = clock.now();
    if (faults.deadLine.strike() !== undefined) return waitForIdle();
    const stuck = sent !== SYN && faults.stuckSyn.strike() !== undefined;
    const flipped =
      !stuck && slot === undefined && by.outside && sent !== SYN ? (faults.flipSymbol.strike()?.mask ?? 0) : 0;
    const symbol = stuck ? SYN : (sent ^ flipped) & 0xff;
    const step = tracker.push(symbol, at, by.name);
    counters.symbols += 1;
    slotOpen = symbol === SYN;
    if (symbol === SYN) {
      counters.syns += 1;
      slotEndsAt = at + timing.slotMs;
      holder = undefined;
    }
    const contended = symbol === SYN ? undefined : (slot ?? takeContenders());
    if (contended !== undefined) holder = by;
    const heard: Heard = {
      symbol,
      at,
      step,
      contenders: contended,
      won: (member) => contended?.get(member) === symbol,
    };
    if (step.kind === "syn" && step.ended !== undefined) onExchange(step.ended);
    for (const watcher of watchers) watcher(symbol, at);
    for (const member of [...members]) member.hear(heard);
    waitForIdle();
  }

  /** Ends the slot, also when a symbol from nowhere got into it first: that byte is what the contenders read back. */
  function takeContenders(): Map<BusMember, number> | undefined {
    cancelSlot?.();
    cancelSlot = undefined;
    if (contenders.size === 0) return undefined;
    const taken = new Map(contenders);
    contenders.clear();
    return taken;
  }

  function closeSlot(): void {
    const slot = takeContenders();
    if (slot === undefined) {
      waitForIdle(); // whoever wanted the bus has hung up
      return nextWaiting();
    }
    counters.arbitrations += 1;
    let symbol = [...slot.values()].reduce((one, other) => one & other);
    let by = [...slot].find(([, address]) => address === symbol)?.[0] ?? line;
    const robbed = [...slot.keys()].some((member) => member.outside) ? steal() : undefined;
    if (robbed !== undefined) {
      symbol = robbed.address;
      by = robbed.member;
      slot.set(by, symbol);
    }
    if (by === line) counters.collisions += 1;
    freeAt = clock.now();
    deliver({ symbol, by, slot });
    nextWaiting();
  }

  function steal(): { member: BusMember; address: number } | undefined {
    const theft = faults.theft.strike();
    if (theft === undefined) return undefined;
    const member = thief(theft.by);
    return member && { member, address: theft.by };
  }

  function nextWaiting(): void {
    if (cancelAir !== undefined || cancelSlot !== undefined || waiting.length === 0) return;
    const now = clock.now();
    const endsAt = Math.max(freeAt, now) + timing.symbolMs;
    cancelAir = after(endsAt - now, () => {
      cancelAir = undefined;
      freeAt = endsAt;
      const next = waiting.shift();
      if (next !== undefined) deliver(next);
      nextWaiting();
    });
  }

  function send(by: BusMember, symbols: readonly number[]): void {
    if (!running) return;
    for (const symbol of symbols) {
      if (waiting.length < MOST_WAITING) waiting.push({ symbol, by });
      else counters.overrun += 1;
    }
    nextWaiting();
  }

  return {
    join(member) {
      members.add(member);
      return () => {
        members.delete(member);
        contenders.delete(member);
        if (holder === member) {
          holder = undefined;
          waitForIdle();
        }
      };
    },
    get slotOpen() {
      return slotOpen;
    },
    contend(member, address) {
      if (!running || !slotOpen) return;
      contenders.set(member, address);
      const now = clock.now();
      cancelSlot ??= after(now <= slotEndsAt ? slotEndsAt - now : timing.symbolMs, closeSlot);
    },
    send,
    watch(listener) {
      watchers.add(listener);
      return () => void watchers.delete(listener);
    },
    get turn() {
      return tracker.turn;
    },
    get counters() {
      return { ...counters };
    },
    start() {
      if (running) return;
      running = true;
      waitForIdle();
    },
    stop() {
      running = false;
      slotOpen = false;
      waiting.length = 0;
      contenders.clear();
      for (const cancel of [cancelAir, cancelSlot, cancelIdle]) cancel?.();
      cancelAir = cancelSlot = cancelIdle = undefined;
    },
    lineChanged() {
      waitForIdle();
    },
  };
}
