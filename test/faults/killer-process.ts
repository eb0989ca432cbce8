import { once } from "node:events";
import { createInterface } from "node:readline";
import { processEnd } from "../support/hub-process.ts";
import { spawnTypeScript } from "../support/typescript-process.ts";

/** What a hub goes through, as far as the killer cares. */
export type HubEvent = "spawned" | "ready" | "on-the-wire" | "answered";

export interface Killer {
  tell(pid: number, at: HubEvent): void;
  /** How many hubs it killed, by the moment it had chosen. Complete once it has ended. */
  readonly kills: ReadonlyMap<string, number>;
  end(): Promise<void>;
}

/** Starts the killer; see killer.ts. */
export function startKiller({ seed }: { seed: number }): Killer {
  const child = spawnTypeScript(new URL("killer.ts", import.meta.url), [String(seed)], ["pipe", "pipe", "inherit"]);
  if (!child.stdin || !child.stdout) throw new Error("The killer has no pipes.");
  const { stdin } = child;
  const kills = new Map<string, number>();
  const report = createInterface({ input: child.stdout });
  report.on("line", (moment) => kills.set(moment, (kills.get(moment) ?? 0) + 1));
  const reported = once(report, "close");
  return {
    tell: (pid, at) => void stdin.write(`${JSON.stringify({ pid, at })}\n`),
    kills,
    async end() {
      stdin.end();
      await Promise.all([processEnd(child), reported]);
    },
  };
}
