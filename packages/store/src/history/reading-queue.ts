import { millis, type Cancel, type Clock, type Durability } from "@steading/kernel";
import type { Reading } from "../history.ts";
import type { HistoryLimits } from "./history-limits.ts";
import type { CountedHistory } from "./history-counters.ts";
import type { ReadingColumns } from "./history-messages.ts";
import { createReadingBuffer } from "./reading-buffer.ts";

/** Collects readings into batches, and knows who waits for which. */
export interface ReadingQueue {
  /** False when there is no room. */
  add(series: number, reading: Reading): boolean;
  /** Call after the readings of one append; resolves when those are as safe as asked. */
  settle(durability: Durability, added: number): Promise<void>;
  /** Sends what is collected. Resolves when everything sent so far is written or refused. */
  flush(): Promise<void>;
  written(to: number): void;
  failed(to: number, error: Error): void;
  /** The writer is gone: everything fails. */
  abandon(error: Error): void;
  readonly waiting: number;
}

export interface ReadingQueueDeps {
  readonly clock: Clock;
  readonly limits: HistoryLimits;
  readonly counters: CountedHistory;
  readonly send: (batch: number, columns: ReadingColumns, sync: boolean) => void;
  readonly rest: () => void;
}

interface Sent {
  readonly batch: number;
  readonly length: number;
  readonly volatile: number;
  readonly waiters: Waiter[];
}
interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** One that is being written, and the next. */
const MOST_SENT = 2;

export function createReadingQueue({ clock, limits, counters, send, rest }: ReadingQueueDeps): ReadingQueue {
  const buffer = createReadingBuffer();
  const sent: Sent[] = [];
  let sentReadings = 0;
  let batch = 0;
  let collected = { volatile: 0, sync: false, waiters: [] as Waiter[] };
  let timer: Cancel | undefined;
  let flushing = false;

  function sendCollected(): void {
    timer?.();
    timer = undefined;
    if (buffer.length === 0 && collected.waiters.length === 0) return;
    const { length } = buffer;
    const { volatile, waiters, sync } = collected;
    batch++;
    sent.push({ batch, length, volatile, waiters });
    sentReadings += length;
    collected = { volatile: 0, sync: false, waiters: [] };
    send(batch, buffer.take(), sync);
  }

  function sendSoon(): void {
    // While the writer has enough to do, what arrives goes together: its running transaction is the window.
    if (flushing || sent.length >= MOST_SENT) return;
    flushing = true;
    queueMicrotask(() => {
      flushing = false;
      sendCollected();
    });
  }

  function take(to: number): Sent[] {
    const index = sent.findIndex((each) => each.batch > to);
    const taken = sent.splice(0, index === -1 ? sent.length : index);
    for (const { length } of taken) sentReadings -= length;
    if (collected.waiters.length > 0) sendSoon();
    else if (sent.length === 0) rest();
    return taken;
  }

  function failed(to: number, error: Error): void {
    counters.failedBatches++;
    for (const { volatile, waiters } of take(to)) {
      counters.lost += volatile;
      for (const { reject } of waiters) reject(error);
    }
  }

  return {
    add(series, reading) {
      if (sentReadings + buffer.length >= limits.queueReadings) return false;
      buffer.add(series, reading);
      return true;
    },
    settle(durability, added) {
      if (durability === "volatile") {
        collected.volatile += added;
        if (buffer.length >= limits.batchReadings) sendCollected();
        else if (buffer.length > 0) timer ??= clock.timer(millis(limits.batchMs), sendCollected);
        return Promise.resolve();
      }
      collected.sync ||= durability === "fixed";
      sendSoon();
      return new Promise((resolve, reject) => collected.waiters.push({ resolve, reject }));
    },
    flush() {
      if (buffer.length > 0 || collected.waiters.length > 0) sendCollected();
      const last = sent.at(-1);
      if (!last) return Promise.resolve();
      return new Promise((resolve) => last.waiters.push({ resolve, reject: () => resolve() }));
    },
    written(to) {
      counters.batches++;
      for (const { length, waiters } of take(to)) {
        counters.written += length;
        for (const { resolve } of waiters) resolve();
      }
    },
    failed,
    abandon(error) {
      timer?.();
      for (const { reject } of collected.waiters) reject(error);
      collected = { volatile: 0, sync: false, waiters: [] };
      failed(Number.POSITIVE_INFINITY, error);
    },
    get waiting() {
      return sentReadings + buffer.length;
    },
  };
}
