import { toStoreError } from "../database-error.ts";
import type { Tidied } from "../history.ts";
import { storeError } from "../store-errors.ts";
import { startWriter } from "../threads/start-writer.ts";
import type { FromHistoryWriter, HistoryWriterData, ReadingsMessage, ToHistoryWriter } from "./history-messages.ts";
import type { PruneTimes } from "./prune-history.ts";

export interface HistoryWriterEvents {
  written(to: number): void;
  failed(to: number, error: Error): void;
  pruned(rows: number): void;
  unpruned(error: Error): void;
  tidied(tidy: number, result: Tidied): void;
  untidied(tidy: number, error: Error): void;
  broken(error: Error): void;
}

/** The main thread's end of the thread that writes `history.db`. */
export interface HistoryWriter {
  readonly uncheckedBytes: number;
  write(readings: Omit<ReadingsMessage, "kind">): void;
  prune(times: PruneTimes & { readonly tidy?: number }): void;
  rest(): void;
  close(): Promise<void>;
}

type Ready = Extract<FromHistoryWriter, { kind: "ready" }>;

export async function startHistoryWriter(deps: {
  readonly data: Omit<HistoryWriterData, "line">;
  readonly events: HistoryWriterEvents;
}): Promise<HistoryWriter> {
  const { data, events } = deps;
  const thread = await startWriter<ToHistoryWriter, FromHistoryWriter, Ready>({
    beside: import.meta.url,
    file: "./history-thread",
    name: "steading-history",
    data,
    onMessage(message) {
      if (message.kind === "written") events.written(message.to);
      if (message.kind === "failed") events.failed(message.to, toStoreError(message.failure));
      if (message.kind === "pruned") events.pruned(message.rows);
      if (message.kind === "unpruned") events.unpruned(toStoreError(message.failure));
      if (message.kind === "tidied") events.tidied(message.tidy, message);
      if (message.kind === "untidied") events.untidied(message.tidy, toStoreError(message.failure));
    },
    onBroken(cause) {
      events.broken(storeError("STORE_FAILED", "The thread that writes history.db ended; restart the hub", { cause }));
    },
  });
  return {
    uncheckedBytes: thread.ready.uncheckedBytes,
    write({ columns, ...rest }) {
      const { series, at, value, flags } = columns;
      const buffers = [series, at, value, flags].map(({ buffer }) => buffer as ArrayBuffer); // made by the reading buffer
      thread.post({ kind: "readings", columns, ...rest }, buffers);
    },
    prune: (times) => thread.postQuietly({ kind: "prune", ...times }),
    rest: thread.rest,
    close: () => thread.close({ kind: "close" }),
  };
}
