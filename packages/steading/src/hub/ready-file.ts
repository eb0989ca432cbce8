import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SteadingError, type JsonObject } from "@steading/kernel";

/** Where everything listens, for scripts and supervisors. A part that is not there is null. */
export interface Ready {
  /** Base address of the main listener. */
  readonly url: string;
  /** Where an MCP client connects. */
  readonly mcp: string;
  readonly farm: string | null;
  readonly devices: string | null;
  readonly mqtt: string | null;
  /** Only when this start knows one: just made, or given by STEADING_BOOTSTRAP_TOKEN. */
  readonly token?: string;
  readonly pid: number;
}

/** Puts the whole file there in one step, for its owner alone: a reader sees all of it or none. */
export function writeReadyFile(file: string, ready: Ready | JsonObject): void {
  const half = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(half, `${JSON.stringify(ready)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(half, file);
  } catch (cause) {
    removeReadyFile(half);
    throw new SteadingError("READY_FILE_FAILED", `The ready file ${file} cannot be written.`, {
      hint: "Give --ready-file a path in a directory that you may write to.",
      cause,
    });
  }
}

/** Called at a clean stop. A killed hub leaves its file; `pid` in it tells that it is gone. */
export function removeReadyFile(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It could not be there in the first place, or its directory was taken away: nothing is left to remove.
  }
}
