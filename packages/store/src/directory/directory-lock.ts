import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Clock, Log } from "@steading/kernel";
import { openForWriting, sqliteCode } from "../sqlite/open-database.ts";
import { storeError } from "../store-errors.ts";

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

export interface DirectoryLock {
  release(): void;
}

/**
 * Keeps a second process out. The lock is SQLite's own lock on `lock.db`, which the kernel drops with the process that
 * holds it: a kill -9 leaves nothing to clean up and two starters cannot both win. `lock.json` beside it only names
 * the holder.
 */
export function lockDirectory({ dir, clock, log }: { dir: string; clock: Clock; log: Log }): DirectoryLock {
  const nameFile = join(dir, "lock.json");
  const db = openForWriting(join(dir, "lock.db"), { busyMs: 0 });
  try {
    db.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (sqliteCode(error)?.startsWith("SQLITE_BUSY") !== true) throw error;
    throw lockedBy(dir, readHolder(nameFile), error);
  }
  const holder: LockHolder = { pid: process.pid, host: hostname(), since: clock.now() };
  try {
    writeWhole(nameFile, JSON.stringify(holder));
  } catch (error) {
    // The lock holds without a name; a full disk must not keep the hub from starting.
    log.warn("The name of this process could not be written beside the lock.", { reason: String(error) });
  }
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      // The name goes first: after the lock is free the file may already be the next holder's.
      rmSync(nameFile, { force: true });
      db.exec("ROLLBACK");
      db.close();
    },
  };
}

function lockedBy(dir: string, holder: LockHolder | undefined, cause: unknown) {
  const who = holder
    ? `process ${holder.pid} on ${holder.host} since ${new Date(holder.since).toISOString()}`
    : "a process that is just starting";
  return storeError("DATA_DIR_LOCKED", `The data directory ${dir} is in use by ${who}`, {
    cause,
    details: {
      dir,
      ...(holder ? { pid: holder.pid, host: holder.host, since: holder.since } : {}),
    },
  });
}

function readHolder(file: string): LockHolder | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof found !== "object" || found === null) return undefined;
    const { pid, host, since } = found as Partial<LockHolder>; // every field is looked at on the next line
    if (typeof pid !== "number" || typeof host !== "string" || typeof since !== "number") return undefined;
    return { pid, host, since };
  } catch {
    return undefined; // only the name is missing; the lock itself has spoken
  }
}

function writeWhole(file: string, text: string): void {
  const half = `${file}.${process.pid}`;
  writeFileSync(half, text, { mode: 0o600 });
  renameSync(half, file);
}
