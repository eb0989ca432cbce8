import type { Dial } from "../wire.ts";
import { createMemoryWire, type FarEnd } from "./memory-wire.ts";

/** The other end of the protocol page, played line by line over wires in memory. */
export interface ScriptedLamp {
  readonly dial: Dial;
  /** Every line that arrived, over all connections. */
  readonly lines: string[];
  on: boolean;
  switches: number;
  /** Takes lines and does nothing with them. */
  deaf: boolean;
  /** Carries out, but answers nothing. */
  silent: boolean;
  /** Says yes and stays as it is. */
  lying: boolean;
  /** Nobody answers the call. */
  away: boolean;
  hangUp(): void;
}

export function createScriptedLamp(): ScriptedLamp {
  const open = new Set<FarEnd>();

  function play(line: string, far: FarEnd): void {
    lamp.lines.push(line);
    if (lamp.deaf) return;
    if (line === "?") return answer(far, lamp.on ? "1" : "0");
    if (line === "#") return answer(far, `N${lamp.switches}`);
    if (!"10CF".includes(line)) return answer(far, "E");
    if (!lamp.lying) carryOut(line);
    answer(far, "A");
  }

  function carryOut(line: string): void {
    if (line !== "C") lamp.on = line === "1";
    lamp.switches = line === "1" || line === "0" ? lamp.switches + 1 : 0;
  }

  function answer(far: FarEnd, line: string): void {
    if (!lamp.silent) far.say(`${line}\n`);
  }

  const lamp: ScriptedLamp = {
    lines: [],
    on: false,
    switches: 0,
    deaf: false,
    silent: false,
    lying: false,
    away: false,
    dial: async (signal) => {
      signal.throwIfAborted();
      if (lamp.away) throw new Error("connection refused");
      const { wire, far } = createMemoryWire();
      open.add(far);
      far.onWritten = (text) => {
        for (const line of text.split("\n").slice(0, -1)) play(line, far);
      };
      return wire;
    },
    hangUp() {
      for (const far of open) far.hangUp();
      open.clear();
    },
  };
  return lamp;
}
