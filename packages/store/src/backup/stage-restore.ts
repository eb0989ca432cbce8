import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@steading/kernel";
import { HISTORY_SCHEMA } from "../history/history-schema.ts";
import { STATE_SCHEMA } from "../ledger/state-schema.ts";
import { syncDirectory } from "../directory/data-directory.ts";
import { syncFile } from "../sqlite/copy-database.ts";
import { storeError } from "../store-errors.ts";
import { BACKUP_FILES, describeFile, readManifest, type BackupManifest } from "./backup-manifest.ts";

/** What lies ready in `<data>/restore/` until the next start. */
export interface StagedRestore {
  readonly stagedAt: number;
  readonly backup: BackupManifest;
}

export const STAGED = "restore";
export const STAGED_NOTE = "restore.json";

export interface StageRestore {
  /** The data directory; its hub may be running. */
  readonly dir: string;
  /** A directory that `backup` made. */
  readonly from: string;
  readonly clock: Pick<Clock, "now">;
}

const SCHEMAS = { "state.db": STATE_SCHEMA, "history.db": HISTORY_SCHEMA } as const;

/** Checks a backup and lays a copy of it ready. Nothing of the running state changes; the next start takes it up. */
export async function stageRestore({ dir, from, clock }: StageRestore): Promise<StagedRestore> {
  const backup = readManifest(from);
  await verify(from, backup);
  const partial = join(dir, `${STAGED}.partial`);
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  for (const name of BACKUP_FILES) {
    copyFileSync(join(from, name), join(partial, name));
    syncFile(join(partial, name));
  }
  // Once more, of the copy: what is taken up at the next start is what was checked.
  await verify(partial, backup);
  const staged: StagedRestore = { stagedAt: clock.now(), backup };
  writeFileSync(join(partial, STAGED_NOTE), JSON.stringify(staged, undefined, 2), { mode: 0o600 });
  syncFile(join(partial, STAGED_NOTE));
  cancelRestore(dir);
  renameSync(partial, join(dir, STAGED));
  syncDirectory(dir);
  return staged;
}

/** Takes a staged restore away; false when there was none. */
export function cancelRestore(dir: string): boolean {
  const staged = join(dir, STAGED);
  if (!existsSync(staged)) return false;
  rmSync(staged, { recursive: true });
  return true;
}

async function verify(from: string, { files }: BackupManifest): Promise<void> {
  for (const name of BACKUP_FILES) {
    const { bytes, sha256, schema } = files[name];
    const knows = SCHEMAS[name].migrations.length;
    if (schema > knows) {
      const message = `${name} of the backup has schema ${schema}, this version of Steading knows up to ${knows}`;
      throw storeError("SCHEMA_NEWER", message, {
        hint: "Restore it with the Steading version that made it or a later one.",
      });
    }
    if (!existsSync(join(from, name))) throw storeError("BACKUP_INVALID", `The backup in ${from} has no ${name}`);
    const found = await describeFile(join(from, name));
    if (found.bytes !== bytes || found.sha256 !== sha256) {
      throw storeError("BACKUP_INVALID", `${name} in ${from} is not what the backup wrote: it was changed or cut`);
    }
  }
}
