import { parentPort, workerData } from "node:worker_threads";
import { createHistoryScans } from "../history/history-scans.ts";
import { createRecordScans } from "../ledger/record-scans.ts";
import { toDatabaseFailure } from "../sqlite/database-failure.ts";
import { openForReading, type Db } from "../sqlite/open-database.ts";
import { stepBack } from "../threads/step-back.ts";
import type { FromScanner, ScanAnswers, ScanKind, ScannerData, ScanRequest, ToScanner } from "./scan-messages.ts";
import { createTurnTaker } from "./turn-taker.ts";

// Reads whatever is too long for the main thread. Never writes.

// What the main thread passed is this type; both sides are built together.
const { stateFile, historyFile } = workerData as ScannerData;
const port = parentPort;
if (!port) throw new Error("scan-thread is started by the store, not by hand");
const say = (message: FromScanner): void => port.postMessage(message);

stepBack();
const open: { state?: Db; history?: Db } = {};
const state = (): Db => (open.state ??= openForReading(stateFile));
const history = (): Db => (open.history ??= openForReading(historyFile));

const ofHistory = createHistoryScans(history);
const scans: ScanAnswers<ScanKind> = { ...ofHistory, ...createRecordScans(state) };
const fileOf = (kind: ScanKind): string => (kind in ofHistory ? historyFile : stateFile);
const turns = createTurnTaker({ later: setImmediate });

port.on("message", (message: ToScanner) => {
  if (message.kind === "cancel") return turns.cancel(message.id);
  if (message.kind === "close") {
    open.state?.close();
    open.history?.close();
    return port.close();
  }
  turns.add(message.id, start(message), (result) => {
    if ("value" in result) say({ id: message.id, answer: result.value });
    else say({ id: message.id, failure: toDatabaseFailure(result.error, fileOf(message.kind)) });
  });
});

/** Looked up by the request's own kind, which is what makes the cast true. Everything happens inside its turns. */
function* start({ kind, ask }: ScanRequest): Generator<void, unknown> {
  const scan = scans[kind] as (ask: ScanRequest["ask"]) => Generator<void, unknown> | { readonly atOnce: unknown };
  const work = scan(ask);
  return "atOnce" in work ? work.atOnce : yield* work;
}
