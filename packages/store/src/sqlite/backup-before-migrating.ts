import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { copyDatabase } from "./copy-database.ts";
import type { Db } from "./open-database.ts";

/** Copies kept of each database; the oldest go first. */
const KEPT = 3;

/** A copy of the database as the older version left it, in `backups/`. Returns where it is. */
export function backupBeforeMigrating({ db, version, at }: { db: Db; version: number; at: number }): string {
  const dir = join(dirname(db.name), "backups");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const stem = `${basename(db.name, ".db")}-schema-`;
  const time = new Date(at).toISOString().replaceAll(/[:.]/g, "-");
  const file = join(dir, `${stem}${version}-${time}.db`);
  copyDatabase(db, file);
  const old = readdirSync(dir)
    .filter((name) => name.startsWith(stem))
    .sort(byTime);
  for (const name of old.slice(0, -KEPT)) rmSync(join(dir, name), { force: true });
  return file;
}

/** The time is what follows the schema's number. */
function byTime(a: string, b: string): number {
  const timeOf = (name: string): string => name.replace(/^.*-schema-\d+-/, "");
  return timeOf(a) < timeOf(b) ? -1 : 1;
}
