import { workerData } from "node:worker_threads";
import { toDatabaseFailure } from "../sqlite/database-failure.ts";
import { openCheckedDatabase } from "../sqlite/open-checked-database.ts";
import type { FromHistoryWriter, HistoryWriterData } from "./history-messages.ts";
import { HISTORY_SCHEMA } from "./history-schema.ts";
import { runHistoryWriter } from "./run-history-writer.ts";

// The one thread that writes `history.db`.

// What the main thread passed is this type; both sides are built together.
const data = workerData as HistoryWriterData;
const say = (message: FromHistoryWriter): void => data.line.port.postMessage(message);

try {
  const opened = openCheckedDatabase({ ...data, schema: HISTORY_SCHEMA });
  if ("refused" in opened) say({ kind: "refused", failure: opened.refused });
  else {
    runHistoryWriter({ ...opened, data, say });
    opened.db.close();
    say({ kind: "closed" });
  }
} catch (error) {
  say({ kind: "refused", failure: toDatabaseFailure(error, data.file) });
}
data.line.port.close();
