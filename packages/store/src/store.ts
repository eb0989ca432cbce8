import { join } from "node:path";
import type { Clock, Ledger, Log } from "@steading/kernel";
import { createDataDirectory } from "./directory/data-directory.ts";
import { lockDirectory } from "./directory/directory-lock.ts";
import type { History } from "./history.ts";
import type { HistoryCounters } from "./history/history-counters.ts";
import { HISTORY_LIMITS, type HistoryLimits } from "./history/history-limits.ts";
import { openSqliteHistory } from "./history/sqlite-history.ts";
import type { LedgerCounters } from "./ledger/ledger-counters.ts";
import { openSqliteLedger } from "./ledger/sqlite-ledger.ts";
import { createRecordSearch, type RecordSearch } from "./record-search.ts";
import { createScanner } from "./scan/scanner.ts";
import { STORE_LIMITS, type StoreLimits } from "./store-limits.ts";

export interface StoreDeps {
  /** The data directory; made when it does not exist. */
  readonly dir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<StoreLimits & HistoryLimits>;
}

export interface StoreCounters {
  readonly ledger: LedgerCounters;
  readonly history: HistoryCounters;
}

/** All state of one hub, in one directory, for one process. */
export interface Store {
  readonly ledger: Ledger;
  readonly history: History;
  /** Searches the streams by correlation, kind and time, away from the main thread. */
  readonly findRecords: RecordSearch;
  counters(): StoreCounters;
  /** Waits for what was committed and gives the directory free. May be called twice. */
  close(): Promise<void>;
}

/** Codes: `DATA_DIR_LOCKED`, `STORE_CORRUPT`, `SCHEMA_NEWER`, `STORE_FULL`, `STORE_FAILED`. */
export async function openStore({ dir, clock, log, limits: given }: StoreDeps): Promise<Store> {
  const limits = { ...STORE_LIMITS, ...HISTORY_LIMITS, ...given };
  const files = { stateFile: join(dir, "state.db"), historyFile: join(dir, "history.db") };
  createDataDirectory({ dir, log });
  const lock = lockDirectory({ dir, clock });
  const scanner = createScanner(files);
  const opening = [
    openSqliteLedger({ file: files.stateFile, clock, log, limits }),
    openSqliteHistory({ file: files.historyFile, clock, log, limits, checkBytes: limits.checkBytes, scanner }),
  ] as const;
  try {
    const [ledger, history] = await Promise.all(opening);
    return {
      ledger,
      history,
      findRecords: createRecordSearch({ scanner }),
      counters: () => ({ ledger: { ...ledger.counters }, history: { ...history.counters } }),
      async close() {
        await Promise.all([ledger.close(), history.close(), scanner.close()]);
        lock.release();
      },
    };
  } catch (error) {
    // One refused to open; what the other has opened must not outlive this call.
    for (const opened of await Promise.allSettled(opening))
      if (opened.status === "fulfilled") await opened.value.close();
    lock.release();
    throw error;
  }
}
