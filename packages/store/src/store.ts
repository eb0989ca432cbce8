import { join } from "node:path";
import type { Clock, Ledger, Log } from "@steading/kernel";
import { createDataDirectory } from "./directory/data-directory.ts";
import { lockDirectory } from "./directory/directory-lock.ts";
import type { LedgerCounters } from "./ledger/ledger-counters.ts";
import { openSqliteLedger } from "./ledger/sqlite-ledger.ts";
import { STORE_LIMITS, type StoreLimits } from "./store-limits.ts";

export interface StoreDeps {
  /** The data directory; made when it does not exist. */
  readonly dir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<StoreLimits>;
}

export interface StoreCounters {
  readonly ledger: LedgerCounters;
}

/** All state of one hub, in one directory, for one process. */
export interface Store {
  readonly ledger: Ledger;
  counters(): StoreCounters;
  /** Waits for what was committed and gives the directory free. May be called twice. */
  close(): Promise<void>;
}

/** Codes: `DATA_DIR_LOCKED`, `STORE_CORRUPT`, `SCHEMA_NEWER`, `STORE_FULL`, `STORE_FAILED`. */
export async function openStore({ dir, clock, log, limits }: StoreDeps): Promise<Store> {
  createDataDirectory({ dir, log });
  const lock = lockDirectory({ dir, clock });
  try {
    const ledger = await openSqliteLedger({
      file: join(dir, "state.db"),
      clock,
      log,
      limits: { ...STORE_LIMITS, ...limits },
    });
    return {
      ledger,
      counters: () => ({ ledger: { ...ledger.counters } }),
      async close() {
        await ledger.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
