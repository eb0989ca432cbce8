import { dirname, join } from "node:path";
import type { SteadingError } from "@steading/kernel";
import { toStoreError } from "../database-error.ts";
import type { DatabaseFailure } from "../sqlite/database-failure.ts";
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
  WriterReady,
} from "./writer-messages.ts";

export interface StateWriterEvents {
  durable(counters: Counters, how: { readonly synced: boolean; readonly reserved: boolean }): void;
  drained(counters: Counters): void;
  undrained(): void;
  trimmed(dropped: Dropped): void;
  untrimmed(error: Error): void;
  /** `counters` are missing when the thread itself is gone. */
  failed(error: SteadingError, counters: Counters | undefined): void;
}

/** The main thread's end of the writer thread. */
export interface StateWriter {
  readonly ready: WriterReady;
  write(commits: Omit<CommitsMessage, "kind">): void;
  /** Nothing follows of a turn that was sent ahead. */
  endTurn(): void;
  /** Tries to leave the reserve; `drained` or `undrained` follows. */
  drain(): void;
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

export async function startStateWriter({ file, openedAt, limits, events }: StateWriterDeps): Promise<StateWriter> {
  const { batchRecords, batchBytes, stateBytes: maxBytes, checkBytes } = limits;
  const { runRecords, runsRecords, busRecords } = limits;
  const retention: Retention = { runRecords, runsRecords, busRecords };
  const { reserveBytes } = limits;
  const reserveFile = join(dirname(file), "reserve.bin");
  const data: Omit<WriterData, "line"> = {
    ...{ file, openedAt, maxBytes, checkBytes, batchRecords, batchBytes, retention },
    ...{ reserveFile, reserveBytes },
  };
  const thread = await startWriter<ToWriter, FromWriter, WriterReady>({
    beside: import.meta.url,
    file: "./writer-thread",
    name: "steading-state",
    data,
    onMessage(message) {
      if (message.kind === "durable") events.durable(message.counters, message);
      if (message.kind === "drained") events.drained(message.counters);
      if (message.kind === "undrained") events.undrained();
      if (message.kind === "failed") events.failed(toCommitError(message.failure), message.counters);
      if (message.kind === "trimmed") events.trimmed(message.dropped);
      if (message.kind === "untrimmed") events.untrimmed(toStoreError(message.failure));
    },
    onBroken(cause) {
      const message = "The thread that writes state.db ended; restart the hub";
      events.failed(storeError("STORE_FAILED", message, { cause }), undefined);
    },
  });
  return {
    ready: thread.ready,
    write: (commits) => thread.post({ kind: "commits", ...commits }),
    endTurn: () => thread.post({ kind: "turnOver" }),
    drain: () => thread.postQuietly({ kind: "drain" }),
    expire: (auditBefore) => thread.postQuietly({ kind: "expire", auditBefore }),
    rest: thread.rest,
    close: () => thread.close({ kind: "close" }),
  };
}

/** The port knows two ways in which a disk refuses a commit: it is full, or it is not and the details say what it was. */
function toCommitError(failure: DatabaseFailure): SteadingError {
  return toStoreError(failure.code === "STORE_FULL" ? failure : { ...failure, code: "STORE_FAILED" });
}
