import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { toStoreError } from "../database-error.ts";
import { syncDirectory } from "../directory/data-directory.ts";
import { syncFile } from "../sqlite/copy-database.ts";
import { storeError } from "../store-errors.ts";
import { startThread } from "../threads/start-thread.ts";
import { BACKUP_FILES, describeFile, MANIFEST, type BackupFile, type BackupManifest } from "./backup-manifest.ts";
import type { FromBackupThread } from "./backup-thread.ts";

export interface MakeBackup {
  /** The data directory. */
  readonly dir: string;
  /** The directory to make; it must not exist. */
  readonly to: string;
  readonly epoch: string;
  readonly madeAt: number;
}

/** Copies a running hub's databases. Until everything is in place the directory is called `<to>.partial`. */
export async function makeBackup({ dir, to, epoch, madeAt }: MakeBackup): Promise<BackupManifest> {
  if (existsSync(to))
    throw storeError("BACKUP_INVALID", `${to} exists already; a backup goes into a directory of its own`);
  const partial = `${to}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  try {
    const schemas = await copyFiles(dir, partial);
    const described = BACKUP_FILES.map(async (name, i) => {
      return [name, { ...(await describeFile(join(partial, name))), schema: schemas[i] ?? 0 }] as const;
    });
    // Made from BACKUP_FILES, so every file has its entry.
    const files = Object.fromEntries(await Promise.all(described)) as BackupManifest["files"];
    const manifest: BackupManifest = { format: 1, madeAt, epoch, files };
    writeFileSync(join(partial, MANIFEST), JSON.stringify(manifest, undefined, 2), { mode: 0o600 });
    syncFile(join(partial, MANIFEST));
    renameSync(partial, to);
    syncDirectory(dirname(to));
    return manifest;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

function copyFiles(from: string, to: string): Promise<readonly number[]> {
  const copies = BACKUP_FILES.map((name: BackupFile) => ({ from: join(from, name), to: join(to, name) }));
  const worker = startThread({
    beside: import.meta.url,
    file: "./backup-thread",
    name: "steading-backup",
    data: { copies },
  });
  return new Promise((resolve, reject) => {
    worker.once("message", (message: FromBackupThread) => {
      if (message.kind === "copied") resolve(message.schemas);
      else reject(toStoreError(message.failure));
    });
    worker.once("error", (cause) => reject(storeError("STORE_FAILED", "The backup broke off", { cause })));
    worker.once("exit", () => reject(storeError("STORE_FAILED", "The backup ended without an answer")));
  });
}
