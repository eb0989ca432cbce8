import { watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Resolves with the file's JSON as soon as it is there and whole. Waits for changes in its folder, not for time. */
export async function jsonFileAppears(file: string, signal: AbortSignal): Promise<unknown> {
  let changed: (() => void) | undefined;
  let change = nextChange();
  function nextChange(): Promise<void> {
    return new Promise((resolve) => {
      changed = resolve;
    });
  }
  const watcher = watch(dirname(file), () => changed?.());
  signal.addEventListener("abort", () => changed?.(), { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const found = await readWhole(file);
      if (found !== undefined) return found.json;
      await change;
      change = nextChange();
    }
  } finally {
    watcher.close();
  }
}

/** Undefined while the file is missing or half written. */
async function readWhole(file: string): Promise<{ json: unknown } | undefined> {
  try {
    return { json: JSON.parse(await readFile(file, "utf8")) };
  } catch {
    return undefined;
  }
}
