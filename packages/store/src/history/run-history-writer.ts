import { toDatabaseFailure } from "../sqlite/database-failure.ts";
import type { Db } from "../sqlite/open-database.ts";
import { createBlockingPort } from "../threads/blocking-port.ts";
import type { FromHistoryWriter, HistoryWriterData, ReadingsMessage, ToHistoryWriter } from "./history-messages.ts";
import { compact } from "./compact.ts";
import { pruneHistory, type PruneTimes } from "./prune-history.ts";
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
  let pruning: { readonly steps: Generator<number>; readonly tidy: number | undefined; rows: number } | undefined;

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
    if (!pruning) return;
    const { steps, tidy } = pruning;
    try {
      const step = steps.next();
      if (step.done) {
        if (tidy !== undefined) tidyUp(tidy, pruning.rows);
        pruning = undefined;
        return;
      }
      pruning.rows += step.value;
      say({ kind: "pruned", rows: step.value });
    } catch (error) {
      pruning = undefined;
      writer.rollUp.forget();
      const failure = toDatabaseFailure(error, data.file);
      say(tidy === undefined ? { kind: "unpruned", failure } : { kind: "untidied", tidy, failure });
    }
  }

  function tidyUp(tidy: number, rows: number): void {
    say({ kind: "tidied", tidy, rows, compacted: compact(db, data.file) });
  }

  /** What is asked for while rows are being dropped begins them anew; who waits for the earlier is answered with it. */
  function beginPruning({ tidy, ...times }: PruneTimes & { readonly tidy?: number }): void {
    const former = pruning;
    if (former?.tidy !== undefined)
      say({ kind: "tidied", tidy: former.tidy, rows: former.rows, compacted: "not worth it" });
    pruning = { steps: pruneHistory({ db, rollUp: writer.rollUp, times }), tidy, rows: 0 };
  }

  say({ kind: "ready", uncheckedBytes });
  for (;;) {
    const message = held ?? (pruning ? port.poll() : port.next());
    held = undefined;
    if (message?.kind === "close") return;
    if (message?.kind === "prune") beginPruning(message);
    if (message?.kind === "readings") write(joined(message));
    // One step after each batch as well: a history that is never idle must not grow for ever.
    if (pruning) pruneStep();
  }
}
