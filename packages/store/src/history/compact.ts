import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Db } from "../sqlite/open-database.ts";

/** What became of the room that dropped rows left behind. */
export type Compacted = "done" | "not worth it" | "no room";

/** Below this share of empty pages the next readings fill them soon, and rewriting the whole file for them is waste. */
const WORTH = 0.25;

/** Gives room back to the disk, when there is much of it and the disk can bear the copy that this takes. */
export function compact(db: Db, file: string, freeBytes: (file: string) => number = freeBytesBeside): Compacted {
  const pragma = (name: string): number => Number(db.pragma(name, { simple: true }));
  const pages = pragma("page_count");
  if (pragma("freelist_count") < pages * WORTH) return "not worth it";
  if (freeBytes(file) < pages * pragma("page_size")) return "no room";
  db.exec("VACUUM");
  // The copy went through the log, which would stay as large as that.
  db.pragma("wal_checkpoint(TRUNCATE)");
  return "done";
}

function freeBytesBeside(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize;
}
