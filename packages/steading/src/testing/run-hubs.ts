import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { registerSecretFiles, secret } from "../../../../test/support/run-record.ts";
import type { World } from "../world.ts";
import { runMain, type Ran } from "./run-main.ts";

export interface StartedHub extends Ran {
  readonly ready: { readonly url: string; readonly mcp: string; readonly token?: string };
}

export interface Finished {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A data directory of its own, hubs on it, and commands that find them there. */
export interface Hubs {
  readonly dir: string;
  readonly data: string;
  /** Runs a hub until its ready file is there. */
  hub(command: "start" | "demo", flags?: readonly string[], variables?: Record<string, string>): Promise<StartedHub>;
  /** Runs a command on the data directory to its end; `input` is all it reads. */
  run(argv: readonly string[], input?: string, world?: Partial<World>): Promise<Finished>;
  begin(argv: readonly string[], world?: Partial<World>): Ran;
  end(): Promise<void>;
}

export function createHubs(): Hubs {
  const dir = mkdtempSync(join(tmpdir(), "steading-hubs-"));
  const data = join(dir, "data");
  const running: Ran[] = [];
  function begin(argv: readonly string[], world: Partial<World> = {}): Ran {
    const ran = runMain([...argv, "--data", data], { workingDirectory: dir, ...world });
    running.push(ran);
    return ran;
  }
  return {
    dir,
    data,
    begin,
    async hub(command, flags = [], variables = {}) {
      const file = join(dir, "ready.json");
      const ran = begin([command, "--port", "0", "--ready-file", file, ...flags], { variables });
      await vi.waitFor(() => expect(existsSync(file), ran.err()).toBe(true), { timeout: 45_000, interval: 10 });
      const ready = JSON.parse(readFileSync(file, "utf8")) as StartedHub["ready"];
      if (ready.token !== undefined) secret(ready.token);
      registerSecretFiles(data);
      for (const [name, value] of Object.entries(variables)) if (/SECRET|TOKEN/.test(name)) secret(value);
      return { ...ran, ready };
    },
    async run(argv, input = "", world = {}) {
      const ran = begin(argv, world);
      ran.input.end(input);
      return { code: await ran.code, out: ran.out(), err: ran.err() };
    },
    async end() {
      for (const each of running) each.stop();
      await Promise.all(running.map(({ code }) => code));
      rmSync(dir, { recursive: true });
    },
  };
}
