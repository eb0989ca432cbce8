import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManualClock, silentLog } from "@steading/kernel";
import { onTestFinished } from "vitest";
import { openStore, type Store, type StoreDeps } from "./store.ts";

/** A directory that is gone when the test is over. */
export function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), "steading-store-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A store that is closed when the test is over. */
export async function openTestStore(dir: string, deps: Partial<StoreDeps> = {}): Promise<Store> {
  const store = await openStore({ dir, clock: createManualClock(), log: silentLog, ...deps });
  onTestFinished(() => store.close());
  return store;
}
