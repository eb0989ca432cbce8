import type { Bus } from "../bus.ts";
import type { BusMember } from "../bus-member.ts";
import type { HouseClock } from "../clock.ts";
import type { ArmedFaults } from "../faults.ts";
import type { HouseSettings } from "../settings.ts";
import { SYN } from "../symbols.ts";
import { adapterInfo } from "./adapter-info.ts";
import { createDelayLine } from "./delay-line.ts";
import { createEnhReader, enhPair, enhReceived, FRAMING, FROM_HOST, TO_HOST, type FromHost } from "./enh-bytes.ts";
import type { PortCounters } from "./port-counters.ts";
import type { Session, SessionOutput } from "./session.ts";

const INFO_SUPPORTED = 0x01;

export interface EnhSession extends Session {
  /** The adapter starts over. */
  reset(): void;
  error(about: "ebus" | "host", code: number): void;
}

/** An enhanced adapter with one host: it arbitrates by itself and echoes what it sends. */
export function createEnhSession({
  name,
  bus,
  clock,
  faults,
  settings,
  restarts,
  counters,
  output,
}: {
  name: string;
  bus: Bus;
  clock: HouseClock;
  faults: ArmedFaults;
  settings: () => HouseSettings;
  restarts: () => number;
  counters: PortCounters;
  output: SessionOutput;
}): EnhSession {
  const reader = createEnhReader();
  const line = createDelayLine({ clock, latencyMs: () => settings().latencyMs, counters, output });
  let wanted: number | undefined;
  let silentUntil = Number.NEGATIVE_INFINITY;

  function tell(bytes: readonly number[]): void {
    if (clock.now() < silentUntil) return;
    const half = bytes.length === 2 ? faults.halfPair.strike() : undefined;
    if (half === undefined) return line.push(bytes);
    silentUntil = clock.now() + half.silentMs;
    line.push(bytes.slice(0, 1));
  }

  function features(): number {
    return settings().adapterInfo ? INFO_SUPPORTED : 0;
  }

  function carryOut(message: FromHost): void {
    if (message.kind === "garbled") return complain();
    const { command, data } = message;
    switch (command) {
      case FROM_HOST.INIT:
        wanted = undefined;
        return tell(enhPair(TO_HOST.RESETTED, data & features()));
      case FROM_HOST.SEND:
        return bus.send(member, [data]);
      case FROM_HOST.START:
        wanted = data === SYN ? undefined : data;
        return undefined;
      case FROM_HOST.INFO:
        return tellInfo(data);
      default:
        return complain();
    }
  }

  function complain(): void {
    counters.garbled += 1;
    tell(enhPair(TO_HOST.ERROR_HOST, FRAMING));
  }

  function tellInfo(id: number): void {
    if (!settings().adapterInfo) return;
    const info = adapterInfo(id, settings(), restarts());
    for (const byte of [info.length, ...info]) tell(enhPair(TO_HOST.INFO, byte));
  }

  const member: BusMember = {
    name,
    outside: true,
    hear({ symbol, contenders, won }) {
      if (contenders?.has(member) === true) {
        wanted = undefined;
        return tell(enhPair(won(member) ? TO_HOST.STARTED : TO_HOST.FAILED, symbol));
      }
      tell(enhReceived(symbol));
      if (symbol === SYN && wanted !== undefined) bus.contend(member, wanted);
    },
  };
  let leave = bus.join(member);

  return {
    name,
    receive(bytes) {
      for (const byte of bytes) for (const message of reader.push(byte)) carryOut(message);
    },
    reset() {
      wanted = undefined;
      reader.reset();
      leave(); // also out of an arbitration under way
      leave = bus.join(member);
      tell(enhPair(TO_HOST.RESETTED, features()));
    },
    error: (about, code) => tell(enhPair(about === "ebus" ? TO_HOST.ERROR_EBUS : TO_HOST.ERROR_HOST, code)),
    close() {
      leave();
      line.close();
    },
  };
}
