import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { sqliteCode } from "../sqlite/open-database.ts";
import type { WriterFailure } from "./writer-messages.ts";

const NEARLY_NOTHING = 1024 * 1024;

/** Sorts what the driver threw. Quotas and some file systems report a full disk as a plain I/O error, so the disk is asked. */
export function toWriterFailure(error: unknown, file: string): WriterFailure {
  const sqlite = sqliteCode(error);
  const message = error instanceof Error ? error.message : String(error);
  const base = { message, ...(sqlite === undefined ? {} : { sqlite }) };
  if (sqlite === "SQLITE_FULL") return { code: "STORE_FULL", ...base };
  if (sqlite?.startsWith("SQLITE_CORRUPT") || sqlite === "SQLITE_NOTADB") return { code: "STORE_CORRUPT", ...base };
  if (sqlite?.startsWith("SQLITE_IOERR") && freeBytes(file) < NEARLY_NOTHING) return { code: "STORE_FULL", ...base };
  return { code: "STORE_FAILED", ...base };
}

function freeBytes(file: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY; // a disk that cannot be asked is failed, not full
  }
}
