import type { Worker } from "node:worker_threads";
import { toStoreError } from "../database-error.ts";
import { storeError } from "../store-errors.ts";
import { startThread } from "../threads/start-thread.ts";
import type { FromScanner, ScanKind, ScannerData, Scans, ToScanner } from "./scan-messages.ts";

/** The main thread's end of the scan thread, which is started by the first question. */
export interface Scanner {
  ask<K extends ScanKind>(kind: K, ask: Scans[K]["ask"], signal?: AbortSignal): Promise<Scans[K]["answer"]>;
  close(): Promise<void>;
}

interface Asked {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** Questions that may be under way; beyond it STORE_BUSY. */
const QUESTIONS = 256;

export function createScanner(data: ScannerData): Scanner {
  const asked = new Map<number, Asked>();
  let worker: Worker | undefined;
  let nextId = 1;
  let closed = false;

  function onMessage(message: FromScanner): void {
    const { id } = message;
    const waiting = asked.get(id);
    asked.delete(id);
    if (asked.size === 0) worker?.unref();
    if ("failure" in message) waiting?.reject(toStoreError(message.failure));
    // The thread answers the question that has this number; its kind fixed the type when it was asked.
    else waiting?.resolve(message.answer as never);
  }

  function onBroken(cause: unknown): void {
    worker = undefined;
    const error = storeError("STORE_FAILED", "The thread that reads for long questions ended", {
      cause,
      retryable: true,
    });
    for (const { reject } of asked.values()) reject(error);
    asked.clear();
  }

  function start(): Worker {
    const started = startThread({ beside: import.meta.url, file: "./scan-thread", name: "steading-scan", data });
    started.on("message", onMessage);
    started.on("error", onBroken);
    started.on("exit", onBroken);
    return started;
  }

  const post = (thread: Worker, message: ToScanner): void => thread.postMessage(message);

  return {
    ask(kind, ask, signal) {
      if (closed) return Promise.reject(storeError("STORE_CLOSED", "The store is closed"));
      if (signal?.aborted) return Promise.reject(asError(signal.reason));
      if (asked.size >= QUESTIONS) {
        return Promise.reject(storeError("STORE_BUSY", `${asked.size} long questions are being answered already`));
      }
      const thread = (worker ??= start());
      const id = nextId++;
      thread.ref();
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          asked.delete(id);
          post(thread, { id, kind: "cancel" });
          reject(asError(signal?.reason));
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        const settled = (): void => signal?.removeEventListener("abort", onAbort);
        asked.set(id, {
          resolve: (answer) => (settled(), resolve(answer)),
          reject: (error) => (settled(), reject(error)),
        });
        post(thread, { id, kind, ask });
      });
    },
    async close() {
      closed = true;
      const thread = worker;
      if (!thread) return;
      thread.ref();
      const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
      post(thread, { id: 0, kind: "close" });
      await ended;
    },
  };
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("aborted", { cause: reason });
}
