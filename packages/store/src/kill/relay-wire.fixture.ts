import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

/** One command as the relay received it. */
export interface WireLine {
  readonly key: string;
  readonly on: boolean;
}

/**
 * A relay whose wire is a file: what was put on it is there whatever becomes of the process that put it there, and its
 * last line is the relay's state.
 */
export interface RelayWire {
  put(line: WireLine): void;
  lines(): WireLine[];
  isOn(): boolean;
}

export function openRelayWire(dir: string, relay: number): RelayWire {
  const file = join(dir, `relay-${relay}.wire`);
  function lines(): WireLine[] {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as WireLine); // written below
  }
  return {
    put(line) {
      const handle = openSync(file, "a");
      writeSync(handle, `${JSON.stringify(line)}\n`); // one call: it is there whole or not at all
      closeSync(handle);
    },
    lines,
    isOn: () => lines().at(-1)?.on ?? false,
  };
}
