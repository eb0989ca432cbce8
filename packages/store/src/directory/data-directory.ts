import { mkdirSync, statSync } from "node:fs";
import type { Log } from "@steading/kernel";
import { syncFile } from "../sqlite/copy-database.ts";

/** Makes the directory for its owner alone. One that exists keeps its mode: it is the operator's. */
export function createDataDirectory({ dir, log }: { dir: string; log: Log }): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const open = statSync(dir).mode & 0o077;
  if (open !== 0 && process.platform !== "win32") {
    log.warn("The data directory can be read by others; run `chmod 700` on it.", { dir });
  }
}

/** Makes the names of new files survive power loss: syncing a file says nothing about the directory that it is in. */
export function syncDirectory(dir: string): void {
  if (process.platform === "win32") return; // directories cannot be opened there, and need not be
  syncFile(dir);
}
