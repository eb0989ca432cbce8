import { millis, type Cancel, type Clock } from "@steading/kernel";

/** The reader's side of a bounded buffer: batches, gathered for a moment, as an async iterable. */
export interface BatchedStream<T> extends AsyncIterableIterator<readonly T[]> {
  /** Something was put into the buffer. */
  filled(): void;
  close(): void;
}

export interface BatchedStreamDeps<T> {
  readonly clock: Clock;
  readonly bufferMs: number;
  /** Empties the buffer. */
  readonly take: () => readonly T[];
  readonly closed: () => void;
}

export function createBatchedStream<T>({ clock, bufferMs, take, closed }: BatchedStreamDeps<T>): BatchedStream<T> {
  let isReady = false;
  let isClosed = false;
  let timer: Cancel | undefined;
  let wake: (() => void) | undefined;

  function ripen(): void {
    timer = undefined;
    isReady = true;
    wake?.();
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    timer?.();
    closed();
    wake?.();
  }

  const stream: BatchedStream<T> = {
    filled() {
      if (isReady || isClosed || timer !== undefined) return;
      timer = clock.timer(millis(bufferMs), ripen);
    },
    close,
    async next() {
      for (;;) {
        if (isClosed) return { done: true, value: undefined };
        if (isReady) {
          isReady = false;
          const batch = take();
          if (batch.length > 0) return { done: false, value: batch };
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = undefined;
      }
    },
    return() {
      close();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}
