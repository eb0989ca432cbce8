import { toStoreError } from "../database-error.ts";
import { storeError } from "../store-errors.ts";
import type { StoreLimits } from "../store-limits.ts";
import { startWriter } from "../threads/start-writer.ts";
import type {
  CommitsMessage,
  Counters,
  Dropped,
  FromWriter,
  Retention,
  ToWriter,
  WriterData,
} from "./writer-messages.ts";

export interface StateWriterEvents {
  durable(counters: Counters, synced: boolean): void;
  trimmed(dropped: Dropped): void;
  untrimmed(error: Error): void;
  /** `counters` are missing when the thread itself is gone. */
  failed(error: Error, counters: Counters | undefined): void;
}

/** The main thread's end of the writer thread. */
export interface StateWriter {
  /** The name that the database was born with. */
  readonly epoch: string;
  readonly counters: Counters;
  readonly dropped: Dropped;
  readonly uncheckedBytes: number;
  write(commits: Omit<CommitsMessage, "kind">): void;
  /** Drops audit records from before this time, when nothing else is to do. */
  expire(auditBefore: number): void;
  /** Nothing is under way: the process may end. */
  rest(): void;
  close(): Promise<void>;
}

export interface StateWriterDeps {
  readonly file: string;
  readonly openedAt: number;
  readonly limits: StoreLimits;
  readonly events: StateWriterEvents;
}

type Ready = Extract<FromWriter, { kind: "ready" }>;

export async function startStateWriter({ file, openedAt, limits, events }: StateWriterDeps): Promise<StateWriter> {
  const { batchRecords, batchBytes, stateBytes: maxBytes, checkBytes } = limits;
  const { runRecords, runsRecords, busRecords } = limits;
  const retention: Retention = { runRecords, runsRecords, busRecords };
  const data: Omit<WriterData, "line"> = { file, openedAt, maxBytes, checkBytes, batchRecords, batchBytes, retention };
  const thread = await startWriter<ToWriter, FromWriter, Ready>({
    beside: import.meta.url,
    file: "./writer-thread",
    name: "steading-state",
    data,
    onMessage(message) {
      if (message.kind === "durable") events.durable(message.counters, message.synced);
      if (message.kind === "failed") events.failed(toStoreError(message.failure), message.counters);
      if (message.kind === "trimmed") events.trimmed(message.dropped);
      if (message.kind === "untrimmed") events.untrimmed(toStoreError(message.failure));
    },
    onBroken(cause) {
      const message = "The thread that writes state.db ended; restart the hub";
      events.failed(storeError("STORE_FAILED", message, { cause }), undefined);
    },
  });
  const { epoch, counters, dropped, uncheckedBytes } = thread.ready;
  return {
    epoch,
    counters,
    dropped,
    uncheckedBytes,
    write: (commits) => thread.post({ kind: "commits", ...commits }),
    expire: (auditBefore) => thread.postQuietly({ kind: "expire", auditBefore }),
    rest: thread.rest,
    close: () => thread.close({ kind: "close" }),
  };
}
