import {
  createApprovals,
  createDoor,
  createJournal,
  createManualClock,
  createMemoryLedger,
  createReception,
  millis,
  seconds,
  silentLog,
  type AskedEffect,
  type Caller,
  type Clock,
  type Duration,
  type Ledger,
  type ManualClock,
} from "@steading/kernel";
import { createGraph } from "@steading/subjects";
import { createLampPart } from "../lamp-part.ts";
import { createScriptedLamp } from "./scripted-lamp.ts";

/** The lamp's property in the graph. */
const ON = "/lamps/hall/on";
export const CALLER: Caller = { principal: "anna", role: "operator", transport: "internal", correlation: "1" };

export function doorOn(ledger: Ledger, clock: Clock, access: () => "read" | "write") {
  const reception = createReception(clock);
  const journal = createJournal({ ledger, clock, log: silentLog });
  const approvals = createApprovals({ ledger, journal, clock });
  return {
    reception,
    approvals,
    door: createDoor({ ledger, journal, approvals, reception, clock, log: silentLog, access }),
  };
}

/** A graph, a door and lamps on wires in memory, on a clock that the test moves. */
export async function createLampPlace({ away = false, access = "write" as "read" | "write", lamps = ["hall"] } = {}) {
  const clock = createManualClock();
  const ledger = createMemoryLedger({ clock });
  const { reception, approvals, door } = doorOn(ledger, clock, () => access);
  const graph = createGraph({ clock, log: silentLog });
  const lamp = createScriptedLamp();
  lamp.away = away;
  const part = createLampPart({
    graph,
    door,
    reception,
    clock,
    log: silentLog,
    lamps: lamps.map((name) => ({ name, host: "unused", port: 1, title: "Hall lamp" })),
    dial: () => lamp.dial,
  });
  const stop = new AbortController();
  await during(clock, seconds(1), part.start(stop.signal));

  const write = (value: unknown, key?: string) =>
    graph.set(ON, value, {
      perform: (effect: AskedEffect) =>
        door.perform({
          ...effect,
          tool: "set_property",
          caller: CALLER,
          minimumRole: "operator",
          confirm: "plain",
          ...(key !== undefined && { key }),
        }),
    });
  const property = () => graph.locate(ON);
  async function tidy(): Promise<void> {
    stop.abort();
    await during(clock, seconds(10), part.stop());
    await during(clock, seconds(10), graph.close());
  }
  return { clock, ledger, approvals, door, graph, lamp, part, write, property, tidy };
}

/** Lets time pass until the work is done. */
export async function during<T>(clock: ManualClock, most: Duration, work: Promise<T>): Promise<T> {
  let done = false;
  const settled = work.finally(() => (done = true));
  settled.catch(() => {});
  for (let passed = 0; passed <= most && !done; passed += 50) await clock.advance(millis(50));
  return settled;
}
