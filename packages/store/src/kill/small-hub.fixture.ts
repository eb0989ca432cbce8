import { writeSync } from "node:fs";
import {
  createApprovals,
  createDoor,
  createJournal,
  createRealClock,
  createReception,
  millis,
  silentLog,
  type Effect,
  type Outcome,
} from "@steading/kernel";
import { openStore } from "../store.ts";
import { ROOMY, type Asked } from "./plan.fixture.ts";
import { openRelayWire } from "./relay-wire.fixture.ts";

/** The store with the real door on it and relays behind that, in a process that others kill or disturb. */
export async function openSmallHub({ dir, wires: where, relays }: { dir: string; wires: string; relays: number }) {
  const clock = createRealClock();
  const store = await openStore({ dir, clock, log: silentLog, limits: ROOMY });
  const { ledger } = store;
  const journal = createJournal({ ledger, clock, log: silentLog });
  const approvals = createApprovals({ ledger, journal, clock });
  const reception = createReception(clock);
  const door = createDoor({ ledger, journal, approvals, reception, clock, log: silentLog, access: () => "write" });
  const wires = Array.from({ length: relays }, (_, relay) => openRelayWire(where, relay));
  wires.forEach((wire, relay) => {
    door.registerObserver(`relay-${relay}`, ({ on }) => ({
      read: async () => reception.received(wire.isOn()),
      satisfies: (value) => value === on,
    }));
  });

  function effectOf({ relay, key, on }: Asked): Effect {
    return {
      tool: "switch_relay",
      caller: { principal: "client", role: "operator", transport: "http", correlation: key },
      minimumRole: "operator",
      arguments: { relay, on },
      key,
      target: `relay-${relay}`,
      toward: on ? "live" : "safe",
      confirm: "plain",
      summary: "Switch a relay.",
      observer: `relay-${relay}`,
      observeWith: { on },
      observeDeadline: millis(200),
      drive: {
        async send(wire) {
          wire.firstByte();
          wires[relay]?.put({ key, on });
          await clock.sleep(millis(key.length % 4)); // a relay takes a moment, and a kill may find it in that moment
          return on;
        },
      },
    };
  }

  return {
    clock,
    store,
    door,
    wires,
    perform: (asked: Asked): Promise<Outcome> => door.perform(effectOf(asked)),
  };
}

/** Written at once, so that a kill cannot swallow it; a reader who is slow is waited for. */
export function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
  }
}
