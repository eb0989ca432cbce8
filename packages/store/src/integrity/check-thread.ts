import { parentPort, workerData } from "node:worker_threads";
import { openForReading } from "../sqlite/open-database.ts";
import { stepBack } from "../threads/step-back.ts";

// Reads every page of one database while others use it, then ends.

export interface CheckThreadData {
  readonly file: string;
}
export interface CheckFindings {
  readonly findings: readonly string[];
}

// What the main thread passed is this type; both sides are built together.
const { file } = workerData as CheckThreadData;

stepBack();
const db = openForReading(file);
const found = db.prepare("PRAGMA quick_check(5)").pluck().all().map(String);
db.close();
const message: CheckFindings = { findings: found[0] === "ok" ? [] : found };
parentPort?.postMessage(message);
