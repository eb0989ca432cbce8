import { MessageChannel, type Transferable } from "node:worker_threads";
import { toStoreError } from "../database-error.ts";
import type { DatabaseFailure } from "../sqlite/database-failure.ts";
import { sendAndWake, type BlockingLine } from "./blocking-port.ts";
import { startThread } from "./start-thread.ts";

/** What every writer thread says first: that it is ready, or why it is not. */
type Opening<Ready> = Ready | { readonly kind: "refused"; readonly failure: DatabaseFailure };

export interface StartWriter<Out> {
  readonly beside: string;
  readonly file: string;
  readonly name: string;
  readonly data: object;
  readonly onMessage: (message: Out) => void;
  /** The thread ended without being asked to. */
  readonly onBroken: (cause: unknown) => void;
}

export interface WriterThread<In, Ready> {
  readonly ready: Ready;
  /** Sends, and keeps the process alive until `rest`. */
  post(message: In, transfer?: readonly Transferable[]): void;
  /** Sends something that nobody waits for. */
  postQuietly(message: In): void;
  /** Nothing is under way: the process may end. */
  rest(): void;
  /** Asks the thread to end and waits until it has. */
  close(message: In): Promise<void>;
}

/** Starts a thread that owns a database. Rejects with what the thread says against opening it. */
export async function startWriter<In, Out, Ready extends { kind: "ready" }>({
  data,
  onMessage,
  onBroken,
  ...thread
}: StartWriter<Out>): Promise<WriterThread<In, Ready>> {
  const { port1: port, port2 } = new MessageChannel();
  const line: BlockingLine = { port, signal: new Int32Array(new SharedArrayBuffer(4)) };
  const worker = startThread({ ...thread, data: { ...data, line: { ...line, port: port2 } }, transfer: [port2] });
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  const opening = await new Promise<Opening<Ready>>((resolve, reject) => {
    port.once("message", resolve);
    worker.once("error", reject);
  });
  if (opening.kind === "refused") {
    await ended;
    port.close();
    throw toStoreError(opening.failure);
  }
  let closing = false;
  const broken = (cause: unknown): void => {
    if (!closing) onBroken(cause);
  };
  port.on("message", onMessage);
  worker.on("error", broken);
  worker.on("exit", broken);
  worker.unref();
  port.unref();
  return {
    ready: opening,
    post(message, transfer) {
      port.ref();
      sendAndWake(line, message, transfer);
    },
    postQuietly: (message) => sendAndWake(line, message),
    rest: () => port.unref(),
    async close(message) {
      closing = true;
      worker.ref();
      sendAndWake(line, message);
      await ended;
      port.close();
    },
  };
}
