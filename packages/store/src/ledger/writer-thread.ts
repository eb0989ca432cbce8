import { workerData } from "node:worker_threads";
import { createBlockingPort } from "../threads/blocking-port.ts";
import { createBatchTaker } from "./batch-taker.ts";
import { createBatchWriter, type BatchWriter } from "./batch-writer.ts";
import { openStateDatabase } from "./open-state-database.ts";
import { toWriterFailure } from "./writer-failure.ts";
import type { FromWriter, ToWriter, WriterData } from "./writer-messages.ts";

// The one thread that writes `state.db`. It imports little: a test file starts many of these.

// What the main thread passed is this type; both sides are built together.
const data = workerData as WriterData;
const say = (message: FromWriter): void => data.line.port.postMessage(message);

try {
  const opened = openStateDatabase(data);
  if ("refused" in opened) say({ kind: "refused", failure: opened.refused });
  else {
    const writer = createBatchWriter(opened.db);
    say({ kind: "ready", counters: writer.counters(), uncheckedBytes: opened.uncheckedBytes });
    writeUntilClosed(writer);
    opened.db.close();
    say({ kind: "closed" });
  }
} catch (error) {
  say({ kind: "refused", failure: toWriterFailure(error, data.file) });
}
data.line.port.close();

function writeUntilClosed(writer: BatchWriter): void {
  const taker = createBatchTaker({ port: createBlockingPort<ToWriter>(data.line), limits: data });
  for (let batch = taker.take(); batch; batch = taker.take()) {
    try {
      const counters = writer.write(batch);
      say({ kind: "durable", counters, synced: batch.sync });
    } catch (error) {
      taker.skipGeneration(batch.generation);
      say({ kind: "failed", failure: toWriterFailure(error, data.file), counters: writer.counters() });
    }
  }
}
