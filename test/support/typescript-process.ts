import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { fileURLToPath } from "node:url";
import { plainEnvironment } from "./steading-command.ts";

/** Runs a script of the tests in a process of its own, from source like everything else. */
export function spawnTypeScript(script: URL, args: readonly string[], stdio: StdioOptions): ChildProcess {
  return spawn(process.execPath, ["--conditions=@steading/source", "--import", "tsx", fileURLToPath(script), ...args], {
    env: plainEnvironment(),
    stdio,
  });
}
