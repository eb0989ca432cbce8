import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { processEnd } from "./hub-process.ts";
import { recordOutput } from "./run-record.ts";
import { plainEnvironment, STEADING_COMMAND } from "./steading-command.ts";

export interface SteadingRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs one command as a user's shell does, to its end, with `input` as all that it reads. */
export async function runSteading(
  args: readonly string[],
  { input = "", environment = {} }: { input?: string; environment?: Readonly<Record<string, string>> } = {},
): Promise<SteadingRun> {
  const child = spawn(process.execPath, [STEADING_COMMAND, ...args], {
    env: { ...plainEnvironment(), ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => {}); // one that ends without reading is no failure of the test
  child.stdin.end(input);
  const [out, err, { code }] = await Promise.all([text(child.stdout), text(child.stderr), processEnd(child)]);
  recordOutput("logs", err);
  return { code, out, err };
}
