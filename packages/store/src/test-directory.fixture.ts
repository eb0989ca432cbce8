import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManualClock, silentLog } from "@steading/kernel";
import { expect, onTestFinished, vi } from "vitest";
import type { DataClasses } from "./data-classes.ts";
import { openStore, type Store, type StoreDeps } from "./store.ts";

/** Most tests are about what a commit asks for; what it must have besides is a matter of data-classes.test.ts. */
const AS_ASKED: DataClasses = {
  spaces: { "": "volatile" },
  streams: { audit: "volatile", runs: "volatile", bus: "volatile" },
};

const TEST_RESERVE = 1024 * 1024;

/** A directory that is gone when the test is over. */
export function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), "steading-store-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Waits for what another thread does; as long as a busy machine may need for it. */
export function soon<T>(check: () => T): Promise<T> {
  return vi.waitFor(check, { timeout: 30_000, interval: 10 });
}

/** Room for the reserve is taken while nobody waits; this waits until it is all there. */
export async function reserveTaken(dir: string, bytes = TEST_RESERVE): Promise<void> {
  await soon(() => expect(statSync(join(dir, "reserve.bin")).size).toBe(bytes));
}

/** A store that is closed when the test is over. */
export async function openTestStore(dir: string, deps: Partial<StoreDeps> = {}): Promise<Store> {
  // The full reserve would make every test write 64 MiB.
  const limits = { reserveBytes: TEST_RESERVE, ...deps.limits };
  const store = await openStore({
    dir,
    clock: createManualClock(),
    log: silentLog,
    classes: AS_ASKED,
    ...deps,
    limits,
  });
  onTestFinished(() => store.close());
  return store;
}
