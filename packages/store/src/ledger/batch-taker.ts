import type { BlockingPort } from "../threads/blocking-port.ts";
import type { CommitsMessage, ToWriter } from "./writer-messages.ts";

/** Anything the writer is asked for besides commits; taken in its place in the row. */
export type Errand = Exclude<ToWriter, CommitsMessage | { readonly kind: "turnOver" }>;

/** What one transaction will hold. */
export interface TakenBatch {
  readonly kind: "batch";
  readonly messages: readonly CommitsMessage[];
  /** At least one of the messages must survive power loss. */
  readonly sync: boolean;
  readonly generation: number;
  /**
   * One that arrived since and fits as well; the transaction need not end while there is more to write. Waits for one when
   * the main thread is in the middle of a turn: what is committed together is written together.
   */
  more(): CommitsMessage | undefined;
}

export interface BatchTaker {
  /** Everything that waits, up to the limits, or the errand that is next; sleeps while nothing waits. */
  take(): TakenBatch | Errand;
  /** After a failure: what the main thread sent before it knew is thrown away. */
  skipGeneration(generation: number): void;
}

export interface BatchTakerDeps {
  readonly port: BlockingPort<ToWriter>;
  readonly limits: { readonly batchRecords: number; readonly batchBytes: number };
}

export function createBatchTaker({ port, limits }: BatchTakerDeps): BatchTaker {
  /** Taken from the port and not yet part of a batch. */
  let held: ToWriter | undefined;
  let oldest = 0;

  const outdated = (message: ToWriter): boolean => message.kind === "commits" && message.generation < oldest;

  function first(): Errand | CommitsMessage {
    let message = held ?? port.next();
    held = undefined;
    while (outdated(message) || message.kind === "turnOver") message = port.next();
    return message;
  }

  return {
    take() {
      const start = first();
      if (start.kind !== "commits") return start;
      let { records, bytes, unfinished } = start;

      function fits(message: CommitsMessage): boolean {
        return records + message.records <= limits.batchRecords && bytes + message.bytes <= limits.batchBytes;
      }

      function next(wait: boolean, accept: (message: CommitsMessage) => boolean): CommitsMessage | undefined {
        if (held) return undefined;
        let message = wait && unfinished ? port.next() : port.poll();
        while (message?.kind === "turnOver") {
          unfinished = false;
          message = port.poll();
        }
        if (!message) return undefined;
        if (message.kind !== "commits" || !fits(message) || !accept(message)) {
          held = message;
          return undefined;
        }
        records += message.records;
        bytes += message.bytes;
        ({ unfinished } = message);
        return message;
      }

      const messages = [start];
      for (let each = next(false, () => true); each; each = next(false, () => true)) messages.push(each);
      const sync = messages.some((message) => message.sync);
      // How safely a transaction ends is settled before it begins.
      const more = () => next(true, (message) => sync || !message.sync);
      return { kind: "batch", messages, sync, generation: start.generation, more };
    },
    skipGeneration(generation) {
      oldest = generation + 1;
    },
  };
}
