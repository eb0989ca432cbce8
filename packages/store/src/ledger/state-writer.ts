import { MessageChannel } from "node:worker_threads";
import { storeError } from "../store-errors.ts";
import type { StoreLimits } from "../store-limits.ts";
import { sendAndWake, type BlockingLine } from "../threads/blocking-port.ts";
import { startThread } from "../threads/start-thread.ts";
import type {
  CommitsMessage,
  Counters,
  Dropped,
  FromWriter,
  Retention,
  ToWriter,
  WriterData,
  WriterFailure,
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
  readonly limits: StoreLimits;
  readonly events: StateWriterEvents;
}

export async function startStateWriter({ file, limits, events }: StateWriterDeps): Promise<StateWriter> {
  const { port1: port, port2 } = new MessageChannel();
  const line: BlockingLine = { port, signal: new Int32Array(new SharedArrayBuffer(4)) };
  const { batchRecords, batchBytes, stateBytes: maxBytes, checkBytes } = limits;
  const retention: Retention = limits;
  const threadLine = { ...line, port: port2 };
  const data: WriterData = { file, maxBytes, checkBytes, batchRecords, batchBytes, retention, line: threadLine };
  const thread = { beside: import.meta.url, file: "./writer-thread", name: "steading-state" };
  const worker = startThread({ ...thread, data, transfer: [port2] });
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  const post = (message: ToWriter): void => {
    port.ref(); // work under way keeps the process alive until it is on disk
    sendAndWake(line, message);
  };

  const first = await new Promise<FromWriter>((resolve, reject) => {
    port.once("message", resolve);
    worker.once("error", reject);
  });
  if (first.kind !== "ready") {
    port.close();
    await ended;
    throw first.kind === "refused" ? toError(first.failure) : new Error(`unexpected ${first.kind}`);
  }
  let closing = false;
  port.on("message", (message: FromWriter) => {
    if (message.kind === "durable") events.durable(message.counters, message.synced);
    if (message.kind === "failed") events.failed(toError(message.failure), message.counters);
    if (message.kind === "trimmed") events.trimmed(message.dropped);
    if (message.kind === "untrimmed") events.untrimmed(toError(message.failure));
  });
  const broken = (cause?: unknown): void => {
    if (closing) return;
    const message = "The thread that writes state.db ended; restart the hub";
    events.failed(storeError("STORE_FAILED", message, { cause }), undefined);
  };
  worker.on("error", broken);
  worker.on("exit", broken);
  worker.unref();
  port.unref();
  return {
    counters: first.counters,
    dropped: first.dropped,
    uncheckedBytes: first.uncheckedBytes,
    write: (commits) => post({ kind: "commits", ...commits }),
    expire: (auditBefore) => sendAndWake(line, { kind: "expire", auditBefore }),
    rest: () => port.unref(),
    async close() {
      closing = true;
      worker.ref();
      post({ kind: "close" });
      await ended;
      port.close();
    },
  };
}

function toError({ code, message, sqlite }: WriterFailure) {
  const why = code === "STORE_FULL" ? "There is no room left on the disk of the data directory" : message;
  return storeError(code, why, { details: { reason: message, ...(sqlite === undefined ? {} : { sqlite }) } });
}
