import { once } from "node:events";
import { createInterface } from "node:readline";
import { processEnd } from "../support/hub-process.ts";
import { spawnTypeScript } from "../support/typescript-process.ts";

export interface Killer {
  spawned(pid: number): void;
  ready(pid: number): void;
  /** Complete once it has ended. */
  readonly kills: number;
  end(): Promise<void>;
}

/** Starts the killer; see killer.ts. */
export function startKiller({ seed }: { seed: number }): Killer {
  const child = spawnTypeScript(new URL("killer.ts", import.meta.url), [String(seed)], ["pipe", "pipe", "inherit"]);
  let kills = 0;
  if (!child.stdout) throw new Error("The killer has no output.");
  const report = createInterface({ input: child.stdout }).on("line", () => (kills += 1));
  const reported = once(report, "close");
  const tell = (pid: number, at: "spawned" | "ready"): void =>
    void child.stdin?.write(`${JSON.stringify({ pid, at })}\n`);
  return {
    spawned: (pid) => tell(pid, "spawned"),
    ready: (pid) => tell(pid, "ready"),
    get kills() {
      return kills;
    },
    async end() {
      child.stdin?.end();
      await Promise.all([processEnd(child), reported]);
    },
  };
}
