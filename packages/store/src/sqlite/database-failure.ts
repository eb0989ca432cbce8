import { statfsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { sqliteCode } from "./open-database.ts";

/** How a thread sees a failure. Errors lose their class on the way between threads, so it travels as data. */
export interface DatabaseFailure {
  readonly code: "STORE_FULL" | "STORE_FAILED" | "STORE_CORRUPT" | "SCHEMA_NEWER";
  readonly message: string;
  readonly sqlite?: string;
}

const NEARLY_NOTHING = 1024 * 1024;

/** Sorts what the driver threw. Quotas and some file systems report a full disk as a plain I/O error, so the disk is asked. */
export function toDatabaseFailure(error: unknown, file: string): DatabaseFailure {
  const sqlite = sqliteCode(error);
  const said = error instanceof Error ? error.message : String(error);
  const name = basename(file);
  const base = { message: `${name} refused: ${said}`, ...(sqlite === undefined ? {} : { sqlite }) };
  if (sqlite === "SQLITE_FULL" || isNoSpace(error)) return { code: "STORE_FULL", ...base };
  if (sqlite?.startsWith("SQLITE_CORRUPT") || sqlite === "SQLITE_NOTADB")
    return { code: "STORE_CORRUPT", ...base, message: `${name} is damaged: ${said}` };
  if (sqlite?.startsWith("SQLITE_IOERR") && freeBytes(file) < NEARLY_NOTHING) return { code: "STORE_FULL", ...base };
  return { code: "STORE_FAILED", ...base };
}

function isNoSpace(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT";
}

function freeBytes(file: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY; // a disk that cannot be asked is failed, not full
  }
}
