import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManualClock, silentLog, type Ledger } from "@steading/kernel";
import { ledgerContract } from "@steading/kernel/testing";
import { afterAll } from "vitest";
import { openStore, type Store } from "../store.ts";

const root = mkdtempSync(join(tmpdir(), "steading-ledger-"));
const stores = new Map<Ledger, { store: Store; dir: string }>();
afterAll(async () => {
  for (const { store } of stores.values()) await store.close();
  rmSync(root, { recursive: true });
});

async function openAt(dir: string): Promise<Ledger> {
  const store = await openStore({ dir, clock: createManualClock(), log: silentLog });
  stores.set(store.ledger, { store, dir });
  return store.ledger;
}

// @proves store.ledger.passes-port-suite store.ledger.stale-expect-changes-nothing store.ledger.deletes-in-same-commit
// @proves store.ledger.sequence-gap-free store.ledger.sequence-per-stream store.queue.numbers-given-on-main-thread
ledgerContract("sqlite ledger", () => openAt(mkdtempSync(join(root, "data-"))), {
  async reopen(ledger) {
    const opened = stores.get(ledger);
    if (!opened) throw new Error("not opened here");
    await opened.store.close();
    return openAt(opened.dir);
  },
});
