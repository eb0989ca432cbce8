import { basename } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { checkIntegrity } from "../sqlite/check-integrity.ts";
import { migrate, schemaState } from "../sqlite/migrate.ts";
import { openForWriting, type Db } from "../sqlite/open-database.ts";
import { createBatchWriter } from "./batch-writer.ts";
import { STATE_SCHEMA } from "./state-schema.ts";
import { toWriterFailure } from "./writer-failure.ts";
import type { FromWriter, ToWriter, WriterData, WriterFailure } from "./writer-messages.ts";

// The one thread that writes `state.db`. It imports little: a test file starts many of these.

// What the main thread passed is this type; both sides are built together.
const { file, maxBytes, checkBytes } = workerData as WriterData;
const port = parentPort;
if (!port) throw new Error("writer-thread is started by the store, not by hand");
const say = (message: FromWriter): void => port.postMessage(message);

try {
  run(openForWriting(file));
} catch (error) {
  say({ kind: "refused", failure: toWriterFailure(error, file) });
}

function run(db: Db): void {
  const refusal = prepare(db);
  if (refusal.failure) {
    db.close();
    return say({ kind: "refused", failure: refusal.failure });
  }
  const writer = createBatchWriter(db);
  port?.on("message", (message: ToWriter) => {
    if (message.kind === "close") {
      db.close();
      say({ kind: "closed" });
      port.close();
      return;
    }
    try {
      writer.write(message);
      say({ kind: "durable", to: message.counters.revision, syncs: message.sync ? 1 : 0 });
    } catch (error) {
      say({ kind: "failed", failure: toWriterFailure(error, file), counters: writer.counters() });
    }
  });
  say({ kind: "ready", counters: writer.counters(), uncheckedBytes: refusal.uncheckedBytes });
}

function prepare(db: Db): { failure?: WriterFailure; uncheckedBytes: number } {
  const name = basename(file);
  const state = schemaState(db, STATE_SCHEMA);
  const knows = STATE_SCHEMA.migrations.length;
  if (state.kind === "newer") {
    const message = `${name} has schema ${state.version}, this version of Steading knows up to ${knows}`;
    return { failure: { code: "SCHEMA_NEWER", message }, uncheckedBytes: 0 };
  }
  if (state.kind === "foreign") {
    const message = `${name} was written by another program`;
    return { failure: { code: "STORE_CORRUPT", message }, uncheckedBytes: 0 };
  }
  const integrity = checkIntegrity(db, checkBytes);
  if (integrity.kind === "damaged") {
    const message = `${name} is damaged: ${integrity.findings.join("; ")}`;
    return { failure: { code: "STORE_CORRUPT", message }, uncheckedBytes: 0 };
  }
  db.pragma("journal_mode = WAL");
  db.pragma("journal_size_limit = 67108864");
  const pageSize = Number(db.pragma("page_size", { simple: true }));
  db.pragma(`max_page_count = ${Math.max(1, Math.floor(maxBytes / pageSize))}`);
  migrate(db, STATE_SCHEMA);
  return { uncheckedBytes: integrity.kind === "skipped" ? integrity.bytes : 0 };
}
