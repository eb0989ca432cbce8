import { workerData } from "node:worker_threads";
import { toDatabaseFailure } from "../sqlite/database-failure.ts";
import { openCheckedDatabase } from "../sqlite/open-checked-database.ts";
import { runWriter } from "./run-writer.ts";
import { STATE_SCHEMA } from "./state-schema.ts";
import type { FromWriter, WriterData } from "./writer-messages.ts";

// The one thread that writes `state.db`. It imports little: a test file starts many of these.

// What the main thread passed is this type; both sides are built together.
const data = workerData as WriterData;
const say = (message: FromWriter): void => data.line.port.postMessage(message);

try {
  const opened = openCheckedDatabase({ ...data, schema: STATE_SCHEMA });
  if ("refused" in opened) say({ kind: "refused", failure: opened.refused });
  else {
    runWriter({ ...opened, data, say });
    opened.db.close();
    say({ kind: "closed" });
  }
} catch (error) {
  say({ kind: "refused", failure: toDatabaseFailure(error, data.file) });
}
data.line.port.close();
