import { toDatabaseFailure } from "../sqlite/database-failure.ts";
import type { Db } from "../sqlite/open-database.ts";
import { createBlockingPort } from "../threads/blocking-port.ts";
import type { FromHistoryWriter, HistoryWriterData, ReadingsMessage, ToHistoryWriter } from "./history-messages.ts";
import { pruneHistory } from "./prune-history.ts";
import { createReadingWriter } from "./reading-writer.ts";

export interface RunHistoryWriterDeps {
  readonly db: Db;
  readonly uncheckedBytes: number;
  readonly data: HistoryWriterData;
  readonly say: (message: FromHistoryWriter) => void;
}

/** Writes readings until it is told to close, and drops old ones while there is nothing else to do. */
export function runHistoryWriter({ db, uncheckedBytes, data, say }: RunHistoryWriterDeps): void {
  const port = createBlockingPort<ToHistoryWriter>(data.line);
  const writer = createReadingWriter({ db, holdMs: data.holdMs });
  let held: ToHistoryWriter | undefined;
  let pruning: Generator<number> | undefined;

  /** Everything that waits, up to the bound of one transaction. */
  function joined(first: ReadingsMessage): ReadingsMessage[] {
    const messages = [first];
    let length = first.columns.length;
    for (let next = port.poll(); next; next = port.poll()) {
      if (next.kind !== "readings" || length + next.columns.length > data.batchReadings) {
        held = next;
        break;
      }
      messages.push(next);
      length += next.columns.length;
    }
    return messages;
  }

  function write(messages: readonly ReadingsMessage[]): void {
    const to = messages.at(-1)?.batch ?? 0;
    try {
      writer.write(messages);
      say({ kind: "written", to });
    } catch (error) {
      say({ kind: "failed", to, failure: toDatabaseFailure(error, data.file) });
    }
  }

  function pruneStep(): void {
    try {
      const step = pruning?.next();
      if (!step || step.done) pruning = undefined;
      else say({ kind: "pruned", rows: step.value });
    } catch (error) {
      pruning = undefined;
      writer.rollUp.forget();
      say({ kind: "unpruned", failure: toDatabaseFailure(error, data.file) });
    }
  }

  say({ kind: "ready", uncheckedBytes });
  for (;;) {
    const message = held ?? (pruning ? port.poll() : port.next());
    held = undefined;
    if (message?.kind === "close") return;
    if (message?.kind === "prune") pruning = pruneHistory({ db, rollUp: writer.rollUp, times: message });
    if (message?.kind === "readings") write(joined(message));
    // One step after each batch as well: a history that is never idle must not grow for ever.
    if (pruning) pruneStep();
  }
}
