import { toDatabaseFailure } from "../sqlite/database-failure.ts";
import type { Db } from "../sqlite/open-database.ts";
import { createBlockingPort } from "../threads/blocking-port.ts";
import { createBatchTaker, type TakenBatch } from "./batch-taker.ts";
import { createBatchWriter } from "./batch-writer.ts";
import { createJournalRetention } from "./journal-retention.ts";
import type { FromWriter, ToWriter, WriterData } from "./writer-messages.ts";

export interface RunWriterDeps {
  readonly db: Db;
  readonly uncheckedBytes: number;
  readonly data: WriterData;
  readonly say: (message: FromWriter) => void;
}

/** Writes what is sent until it is told to close. Sleeps in between; has no event loop of its own. */
export function runWriter({ db, uncheckedBytes, data, say }: RunWriterDeps): void {
  const retention = createJournalRetention({ db, limits: data.retention });
  const writer = createBatchWriter({ db, retention });
  const taker = createBatchTaker({ port: createBlockingPort<ToWriter>(data.line), limits: data });

  function write(batch: TakenBatch): void {
    try {
      const counters = writer.write(batch);
      say({ kind: "durable", counters, synced: batch.sync });
    } catch (error) {
      taker.skipGeneration(batch.generation);
      retention.recount();
      say({ kind: "failed", failure: toDatabaseFailure(error, data.file), counters: writer.counters() });
    }
  }

  /** The answer has been given; what retention does afterwards may fail without anybody losing anything. */
  function tidy(work: () => boolean): void {
    try {
      if (work()) say({ kind: "trimmed", dropped: retention.dropped() });
    } catch (error) {
      retention.recount();
      say({ kind: "untrimmed", failure: toDatabaseFailure(error, data.file) });
    }
  }

  const epoch = String(db.prepare("SELECT value FROM meta WHERE name = 'epoch'").pluck().get());
  say({ kind: "ready", epoch, counters: writer.counters(), dropped: retention.dropped(), uncheckedBytes });
  for (;;) {
    const taken = taker.take();
    if (taken.kind === "close") return;
    if (taken.kind === "expire") tidy(() => expireAll(taken.auditBefore));
    else {
      write(taken);
      tidy(retention.trim);
    }
  }

  function expireAll(before: number): boolean {
    const had = retention.dropped().audit;
    while (retention.expireAudit(before));
    return retention.dropped().audit > had;
  }
}
