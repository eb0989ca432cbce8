import { basename } from "node:path";
import type { Log } from "@steading/kernel";
import { startThread } from "../threads/start-thread.ts";
import type { CheckFindings } from "./check-thread.ts";

/** Looks through databases that were too large to check before use. */
export interface BackgroundCheck {
  /** Names of damaged databases; undefined until all are looked through. */
  damaged(): readonly string[] | undefined;
  /** Resolves when all are looked through. */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

/** One file after the other: two readers at once would only fight for the disk. */
export function startBackgroundCheck({ files, log }: { files: readonly string[]; log: Log }): BackgroundCheck {
  const damaged: string[] = [];
  let finished = false;
  let stopped = false;
  let end: (() => Promise<unknown>) | undefined;

  async function check(file: string): Promise<void> {
    const worker = startThread({
      beside: import.meta.url,
      file: "./check-thread",
      name: "steading-check",
      data: { file },
    });
    end = () => worker.terminate();
    worker.unref();
    const name = basename(file);
    const findings = await new Promise<readonly string[]>((resolve) => {
      worker.once("message", (message: CheckFindings) => resolve(message.findings));
      worker.once("error", (error) => resolve([error.message]));
      worker.once("exit", () => resolve([]));
    });
    if (stopped) return;
    if (findings.length === 0) return log.info(`${name} was looked through and is sound.`);
    damaged.push(name);
    log.error(`${name} is damaged; restore a backup with \`steading restore\`.`, undefined, { findings });
  }

  async function checkAll(): Promise<void> {
    for (const file of files) if (!stopped) await check(file);
    finished = true;
  }

  return {
    damaged: () => (finished ? damaged : undefined),
    done: checkAll(),
    async stop() {
      stopped = true;
      await end?.();
    },
  };
}
