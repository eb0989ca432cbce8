import { Worker, type Transferable } from "node:worker_threads";
import { bundleThread } from "./bundle-thread.ts";

export interface ThreadOptions {
  /** `import.meta.url` of the module beside which the thread's file lies. */
  readonly beside: string;
  /** Its name without extension, such as `./writer-thread`. */
  readonly file: string;
  readonly name: string;
  readonly data: unknown;
  /** What of `data` moves to the thread instead of being copied. */
  readonly transfer?: readonly Transferable[];
}

/** Starts a worker from source or from the built package, whichever the caller itself was loaded from. */
export function startThread({ beside, file, name, data, transfer = [] }: ThreadOptions): Worker {
  const options = { name, workerData: data, transferList: [...transfer], execArgv: [] };
  if (!beside.endsWith(".ts")) return new Worker(new URL(`${file}.js`, beside), options);
  return new Worker(bundleThread(new URL(`${file}.ts`, beside)), { ...options, eval: true });
}
