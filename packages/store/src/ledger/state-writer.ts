import type { Worker } from "node:worker_threads";
import { startThread } from "../threads/start-thread.ts";
import { storeError } from "../store-errors.ts";
import type { BatchMessage, Counters, FromWriter, ToWriter, WriterData, WriterFailure } from "./writer-messages.ts";

export interface StateWriterEvents {
  durable(to: number): void;
  failed(error: Error, counters: Counters | undefined): void;
}

/** The main thread's end of the writer thread. */
export interface StateWriter {
  readonly counters: Counters;
  readonly uncheckedBytes: number;
  /** One batch at a time: the next one follows `durable` or `failed`. */
  write(batch: Omit<BatchMessage, "kind">): void;
  close(): Promise<void>;
}

export async function startStateWriter({
  data,
  events,
}: {
  data: WriterData;
  events: StateWriterEvents;
}): Promise<StateWriter> {
  const worker = startThread({
    beside: import.meta.url,
    file: "./writer-thread",
    name: "steading-state",
    data,
  });
  const first = await firstMessage(worker);
  if (first.kind !== "ready") {
    await worker.terminate();
    throw first.kind === "refused" ? toError(first.failure) : new Error(`unexpected ${first.kind}`);
  }
  let closed: (() => void) | undefined;

  worker.on("message", (message: FromWriter) => {
    // An idle writer lets the process end; one with work keeps it alive until the work is on disk.
    if (!closed) worker.unref();
    if (message.kind === "durable") events.durable(message.to);
    if (message.kind === "failed") events.failed(toError(message.failure), message.counters);
  });
  worker.on("error", (cause) => {
    events.failed(storeError("STORE_FAILED", "The thread that writes state.db broke", { cause }), undefined);
  });
  worker.on("exit", () => {
    if (closed) return closed();
    events.failed(storeError("STORE_FAILED", "The thread that writes state.db ended; restart the hub"), undefined);
  });
  worker.unref();
  const post = (message: ToWriter): void => {
    worker.ref();
    worker.postMessage(message);
  };
  return {
    counters: first.counters,
    uncheckedBytes: first.uncheckedBytes,
    write: (batch) => post({ kind: "batch", ...batch }),
    close: () =>
      new Promise((resolve) => {
        closed = resolve;
        post({ kind: "close" });
      }),
  };
}

function firstMessage(worker: Worker): Promise<FromWriter> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

function toError({ code, message, sqlite }: WriterFailure) {
  const why = code === "STORE_FULL" ? "There is no room left on the disk of the data directory" : message;
  return storeError(code, why, {
    details: { reason: message, ...(sqlite === undefined ? {} : { sqlite }) },
  });
}
