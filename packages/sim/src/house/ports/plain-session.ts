import type { Bus } from "../bus.ts";
import type { BusMember } from "../bus-member.ts";
import type { HouseClock } from "../clock.ts";
import type { HouseSettings } from "../settings.ts";
import { SYN } from "../symbols.ts";
import { createDelayLine } from "./delay-line.ts";
import type { PortCounters } from "./port-counters.ts";
import type { Session, SessionOutput } from "./session.ts";

/** An adapter that hands wire bytes through, both ways. Timing and arbitration are the host's business. */
export function createPlainSession({
  name,
  bus,
  clock,
  settings,
  counters,
  output,
}: {
  name: string;
  bus: Bus;
  clock: HouseClock;
  settings: () => HouseSettings;
  counters: PortCounters;
  output: SessionOutput;
}): Session {
  const line = createDelayLine({ clock, latencyMs: () => settings().latencyMs, counters, output });
  let inSlot = false;

  const member: BusMember = {
    name,
    outside: true,
    hear({ symbol, contenders }) {
      if (symbol === SYN || contenders !== undefined) inSlot = false;
      line.push([symbol]);
    },
  };
  const leave = bus.join(member);

  return {
    name,
    receive(bytes) {
      for (const byte of bytes) {
        if (bus.slotOpen && !inSlot && byte !== SYN) {
          inSlot = true;
          bus.contend(member, byte);
        } else {
          bus.send(member, [byte]);
        }
      }
    },
    close() {
      leave();
      line.close();
    },
  };
}
