import { parentPort, workerData } from "node:worker_threads";
import { copyDatabase } from "../sqlite/copy-database.ts";
import { toDatabaseFailure, type DatabaseFailure } from "../sqlite/database-failure.ts";
import { openForReading } from "../sqlite/open-database.ts";
import { stepBack } from "../threads/step-back.ts";

// Copies databases while others write them, then ends.

export interface BackupThreadData {
  readonly copies: readonly { readonly from: string; readonly to: string }[];
}
export type FromBackupThread =
  | { readonly kind: "copied"; readonly schemas: readonly number[] }
  | { readonly kind: "failed"; readonly failure: DatabaseFailure };

// What the main thread passed is this type; both sides are built together.
const { copies } = workerData as BackupThreadData;
const say = (message: FromBackupThread): void => parentPort?.postMessage(message);

stepBack();
try {
  say({ kind: "copied", schemas: copies.map(({ from, to }) => copy(from, to)) });
} catch (error) {
  say({ kind: "failed", failure: toDatabaseFailure(error, copies[0]?.to ?? "") });
}

function copy(from: string, to: string): number {
  const db = openForReading(from);
  try {
    copyDatabase(db, to);
    return Number(db.pragma("user_version", { simple: true }));
  } finally {
    db.close();
  }
}
