import { receiveMessageOnPort, type MessagePort, type Transferable } from "node:worker_threads";

/** A line to a thread that sleeps between messages. */
export interface BlockingLine {
  readonly port: MessagePort;
  /** Counts messages sent; the sleeper waits on it. */
  readonly signal: Int32Array;
}

export interface BlockingPort<In> {
  /** The next message, sleeping until there is one. */
  next(): In;
  /** The next message if there is one already. */
  poll(): In | undefined;
}

/**
 * The sleeping end. SQLite's calls block anyway, so a thread that does nothing else needs no event loop; waking it
 * directly takes about half the time of a message event.
 */
export function createBlockingPort<In>({ port, signal }: BlockingLine): BlockingPort<In> {
  function poll(): In | undefined {
    // Both ends are built together and agree on the type.
    return (receiveMessageOnPort(port) as { message: In } | undefined)?.message;
  }
  return {
    poll,
    next() {
      for (;;) {
        // Read before polling: a message that arrives in between changes the count and the wait returns at once.
        const seen = Atomics.load(signal, 0);
        const message = poll();
        if (message !== undefined) return message;
        Atomics.wait(signal, 0, seen);
      }
    },
  };
}

/** The waking end. */
export function sendAndWake(
  { port, signal }: BlockingLine,
  message: unknown,
  transfer: readonly Transferable[] = [],
): void {
  port.postMessage(message, [...transfer]);
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
}
