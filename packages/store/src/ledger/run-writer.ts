import { toDatabaseFailure } from "../sqlite/database-failure.ts";
import type { Db } from "../sqlite/open-database.ts";
import { createBlockingPort, type BlockingPort } from "../threads/blocking-port.ts";
import { createBatchTaker, type TakenBatch } from "./batch-taker.ts";
import { createBatchWriter } from "./batch-writer.ts";
import { createJournalRetention } from "./journal-retention.ts";
import type { ReserveFile } from "./reserve-file.ts";
import { createSpill } from "./spill.ts";
import type { FromWriter, ToWriter, WriterData } from "./writer-messages.ts";

export interface RunWriterDeps {
  readonly db: Db;
  readonly uncheckedBytes: number;
  readonly reserve: ReserveFile;
  readonly data: WriterData;
  readonly say: (message: FromWriter) => void;
}

/** Writes what is sent until it is told to close. Sleeps in between; has no event loop of its own. */
export function runWriter({ db, uncheckedBytes, reserve, data, say }: RunWriterDeps): void {
  const retention = createJournalRetention({ db, limits: data.retention });
  const writer = createBatchWriter({ db, retention });
  const spill = createSpill({ file: data.file, reserve, writer });
  const port = growingWhileIdle(createBlockingPort<ToWriter>(data.line), reserve);
  const taker = createBatchTaker({ port, limits: data });

  function write(batch: TakenBatch): void {
    const reserved = spill.on;
    try {
      const counters = reserved ? spill.write(batch) : writer.write(batch);
      say({ kind: "durable", counters, synced: reserved || batch.sync, reserved });
    } catch (error) {
      const failure = toDatabaseFailure(error, data.file);
      if (failure.code === "STORE_FULL") spill.begin();
      taker.skipGeneration(batch.generation);
      retention.recount();
      say({ kind: "failed", failure, counters: spill.counters() });
    }
  }

  function drain(): boolean {
    try {
      spill.drain();
      return true;
    } catch {
      retention.recount();
      return false; // the main thread asks again; it has told people already
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

  function expireAll(before: number): boolean {
    const had = retention.dropped().audit;
    while (retention.expireAudit(before));
    return retention.dropped().audit > had;
  }

  const full = spill.on && !drain();
  say({
    kind: "ready",
    epoch: String(db.prepare("SELECT value FROM meta WHERE name = 'epoch'").pluck().get()),
    counters: spill.counters(),
    stored: writer.counters(),
    reserved: full ? spill.reserved() : undefined,
    dropped: retention.dropped(),
    uncheckedBytes,
  });
  for (;;) {
    const taken = taker.take();
    if (taken.kind === "close") return;
    if (taken.kind === "drain") say(drain() ? { kind: "drained", counters: writer.counters() } : { kind: "undrained" });
    if (taken.kind === "expire") tidy(() => expireAll(taken.auditBefore));
    if (taken.kind === "batch") {
      write(taken);
      if (!spill.on) tidy(retention.trim);
    }
  }
}

/** Takes room for the reserve while nobody wants anything, a little at a time: commits never wait for it. */
function growingWhileIdle(port: BlockingPort<ToWriter>, reserve: ReserveFile): BlockingPort<ToWriter> {
  let growing = true;
  return {
    poll: port.poll,
    next() {
      while (growing) {
        const message = port.poll();
        if (message !== undefined) return message;
        growing = reserve.grow();
      }
      return port.next();
    },
  };
}
