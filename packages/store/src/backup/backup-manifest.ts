import { createHash } from "node:crypto";
import { createReadStream, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { storeError } from "../store-errors.ts";

/** What a backup consists of; also the order in which a restore puts things back. */
export const BACKUP_FILES = ["history.db", "state.db"] as const;
export type BackupFile = (typeof BACKUP_FILES)[number];

/** `manifest.json` of a backup. Written last: a directory without it is no backup. */
export interface BackupManifest {
  readonly format: 1;
  /** Epoch milliseconds. State is as of this moment or a little later. */
  readonly madeAt: number;
  readonly epoch: string;
  readonly files: Readonly<
    Record<BackupFile, { readonly bytes: number; readonly sha256: string; readonly schema: number }>
  >;
}

export const MANIFEST = "manifest.json";

export function readManifest(dir: string): BackupManifest {
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(join(dir, MANIFEST), "utf8"));
  } catch (cause) {
    throw storeError("BACKUP_INVALID", `${dir} is not a backup: it has no readable ${MANIFEST}`, { cause });
  }
  if (!isManifest(found)) throw storeError("BACKUP_INVALID", `${join(dir, MANIFEST)} is not a backup's manifest`);
  return found;
}

function isManifest(value: unknown): value is BackupManifest {
  if (typeof value !== "object" || value === null) return false;
  const { format, madeAt, epoch, files } = value as Partial<BackupManifest>; // each field is looked at below
  if (format !== 1 || typeof madeAt !== "number" || typeof epoch !== "string" || !files) return false;
  return BACKUP_FILES.every((name) => {
    const { bytes, sha256, schema } = files[name] ?? {};
    return typeof bytes === "number" && typeof sha256 === "string" && typeof schema === "number";
  });
}

export async function describeFile(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer); // no encoding was asked for
  return { bytes: statSync(file).size, sha256: hash.digest("hex") };
}
