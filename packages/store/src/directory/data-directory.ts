import { mkdirSync, statSync } from "node:fs";
import type { Log } from "@steading/kernel";

/** Makes the directory for its owner alone. One that exists keeps its mode: it is the operator's. */
export function createDataDirectory({ dir, log }: { dir: string; log: Log }): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const open = statSync(dir).mode & 0o077;
  if (open !== 0 && process.platform !== "win32") {
    log.warn("The data directory can be read by others; run `chmod 700` on it.", { dir });
  }
}
