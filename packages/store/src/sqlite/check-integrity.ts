import { statSync } from "node:fs";
import type { Db } from "./open-database.ts";

export type Integrity =
  | { readonly kind: "sound" }
  | { readonly kind: "skipped"; readonly bytes: number }
  | { readonly kind: "damaged"; readonly findings: readonly string[] };

/** Reads every page of a database up to `maxBytes`. A larger one would keep the hub from starting for too long. */
export function checkIntegrity(db: Db, maxBytes: number): Integrity {
  const { size } = statSync(db.name);
  if (size > maxBytes) return { kind: "skipped", bytes: size };
  const rows = db.prepare("PRAGMA quick_check(5)").pluck().all().map(String);
  return rows.length === 1 && rows[0] === "ok" ? { kind: "sound" } : { kind: "damaged", findings: rows };
}
