import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "@steading/kernel";
import { syncDirectory } from "../directory/data-directory.ts";

import { BACKUP_FILES } from "./backup-manifest.ts";
import { STAGED, STAGED_NOTE, type StagedRestore } from "./stage-restore.ts";

export interface AppliedRestore {
  readonly staged: StagedRestore;
  /** Where the state before the restore went; nothing is thrown away. */
  readonly before: string;
  /** Call once the new epoch is on record: from then on the restore is over. */
  finish(): void;
}

/**
 * Puts a staged restore in place of the databases. May be killed at any moment and is carried on by the next start: a file
 * that is still staged has not been placed, and the note goes last.
 */
export function applyRestore({ dir, log }: { dir: string; log: Log }): AppliedRestore | undefined {
  const from = join(dir, STAGED);
  const note = join(from, STAGED_NOTE);
  if (!existsSync(note)) return undefined;
  const staged = JSON.parse(readFileSync(note, "utf8")) as StagedRestore; // written whole by stageRestore
  const before = join(dir, `before-restore-${new Date(staged.stagedAt).toISOString().replaceAll(/[:.]/g, "-")}`);
  mkdirSync(before, { recursive: true, mode: 0o700 });
  for (const name of BACKUP_FILES) {
    if (!existsSync(join(from, name))) continue;
    // The log of the old database goes first: left beside the restored one, SQLite would replay it into that.
    for (const part of [`${name}-wal`, `${name}-shm`, name]) moveIfThere(join(dir, part), join(before, part));
    renameSync(join(from, name), join(dir, name));
    syncDirectory(dir);
  }
  // What the reserve holds belongs to the state that was there before.
  // Once only: a start that was killed later on has made another one, for the restored state.
  if (!existsSync(join(before, "reserve.bin"))) moveIfThere(join(dir, "reserve.bin"), join(before, "reserve.bin"));
  log.warn("A backup was restored; what was there before is kept.", { before, madeAt: staged.backup.madeAt });
  return { staged, before, finish: () => rmSync(from, { recursive: true, force: true }) };
}

function moveIfThere(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to);
}
