import { join } from "node:path";
import type { Clock, Health, Ledger, Log } from "@steading/kernel";
import { applyRestore } from "./backup/apply-restore.ts";
import type { BackupManifest } from "./backup/backup-manifest.ts";
import { openEpoch, type Disarmed } from "./backup/epoch.ts";
import { makeBackup } from "./backup/make-backup.ts";
import { timerSpaces } from "./backup/overdue-timers.ts";
import { DATA_CLASSES, type DataClasses } from "./data-classes.ts";
import { toDirectoryError } from "./database-error.ts";
import { createDataDirectory, syncDirectory } from "./directory/data-directory.ts";
import { lockDirectory, type DirectoryLock } from "./directory/directory-lock.ts";
import type { History } from "./history.ts";
import type { HistoryCounters } from "./history/history-counters.ts";
import { HISTORY_LIMITS, type HistoryLimits } from "./history/history-limits.ts";
import { openSqliteHistory } from "./history/sqlite-history.ts";
import { startBackgroundCheck } from "./integrity/background-check.ts";
import type { LedgerCounters } from "./ledger/ledger-counters.ts";
import { openSqliteLedger } from "./ledger/sqlite-ledger.ts";
import { migrateParts, type PartMigrations } from "./part-migrations.ts";
import { createRecordSearch, type RecordSearch } from "./record-search.ts";
import { createScanner } from "./scan/scanner.ts";
import { STORE_LIMITS, type StoreLimits } from "./store-limits.ts";

export interface StoreDeps {
  /** The data directory; made when it does not exist. */
  readonly dir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<StoreLimits & HistoryLimits>;
  /** Adds to the classes of the design, or replaces some of them. */
  readonly classes?: Partial<DataClasses>;
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
  /** Names the life of this state; another one after a restore. */
  readonly epoch: string;
  /** Set after a restore: the hub must not act by itself until `arm`. */
  disarmed(): Disarmed | undefined;
  arm(by: string): Promise<void>;
  /** Copies everything, as of one moment for each database, into a directory that must not exist. */
  backup(to: string): Promise<BackupManifest>;
  /** Brings the entries of each part to the shape its version of the program expects. Call before the parts start. */
  migrateParts(parts: readonly PartMigrations[]): Promise<void>;
  health(): Health;
  counters(): StoreCounters;
  /** Waits for what was committed and gives the directory free. May be called twice. */
  close(): Promise<void>;
}

/** Codes: `DATA_DIR_LOCKED`, `STORE_CORRUPT`, `SCHEMA_NEWER`, `STORE_FULL`, `STORE_FAILED`. */
export async function openStore(deps: StoreDeps): Promise<Store> {
  const lock = takeDirectory(deps);
  try {
    return await openLocked(deps, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

function takeDirectory({ dir, clock, log }: StoreDeps): DirectoryLock {
  try {
    createDataDirectory({ dir, log });
    return lockDirectory({ dir, clock, log });
  } catch (error) {
    throw toDirectoryError(error, dir);
  }
}

async function openLocked(deps: StoreDeps, lock: DirectoryLock): Promise<Store> {
  const { dir, clock, log } = deps;
  const limits = { ...STORE_LIMITS, ...HISTORY_LIMITS, ...deps.limits };
  const classes = withClasses(deps.classes);
  const stateFile = join(dir, "state.db");
  const historyFile = join(dir, "history.db");
  const restored = applyRestore({ dir, log });
  const scanner = createScanner({ stateFile, historyFile });
  const [ledger, history] = await openBoth(
    openSqliteLedger({ file: stateFile, clock, log, limits, classes }),
    openSqliteHistory({ file: historyFile, clock, log, limits, checkBytes: limits.checkBytes, scanner }),
  );
  syncDirectory(dir);
  const unchecked = [...(ledger.unchecked ? [stateFile] : []), ...(history.unchecked ? [historyFile] : [])];
  const check = startBackgroundCheck({ files: unchecked, log });
  const closeAll = async (): Promise<void> => {
    await check.stop();
    await Promise.all([ledger.close(), history.close(), scanner.close()]);
  };
  const timers = timerSpaces(Object.keys(classes.spaces));
  const opening = openEpoch({ ledger, born: ledger.epoch, clock, restored, timerSpaces: timers });
  const epoch = await opening.catch(async (error: unknown) => {
    await closeAll();
    throw error;
  });
  const backup = async (to: string): Promise<BackupManifest> => {
    await history.flush();
    return makeBackup({ dir, to, epoch: epoch.id, madeAt: clock.now() });
  };
  return {
    ledger,
    history,
    findRecords: createRecordSearch({ scanner }),
    epoch: epoch.id,
    disarmed: epoch.disarmed,
    arm: epoch.arm,
    backup,
    migrateParts: (parts) => migrateParts({ ledger, parts, backup: () => backup(partBackupName(dir, clock)) }),
    health() {
      const damaged = check.damaged() ?? [];
      if (damaged.length > 0)
        return { status: "degraded", reason: `${damaged.join(" and ")} is damaged; restore a backup` };
      return ledger.health().status === "ok" ? history.health() : ledger.health();
    },
    counters: () => ({ ledger: { ...ledger.counters }, history: { ...history.counters } }),
    async close() {
      await closeAll();
      lock.release();
    },
  };
}

function withClasses({ spaces, streams }: Partial<DataClasses> = {}): DataClasses {
  return { spaces: { ...DATA_CLASSES.spaces, ...spaces }, streams: { ...DATA_CLASSES.streams, ...streams } };
}

interface Closable {
  close(): Promise<void>;
}

/** Both or none: when one refuses to open, what the other has opened must not outlive the refusal. */
async function openBoth<A extends Closable, B extends Closable>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  try {
    return await Promise.all([a, b]);
  } catch (error) {
    for (const opened of await Promise.allSettled([a, b])) {
      if (opened.status === "fulfilled") await opened.value.close();
    }
    throw error;
  }
}

function partBackupName(dir: string, clock: Clock): string {
  return join(dir, "backups", `before-parts-${new Date(clock.now()).toISOString().replaceAll(/[:.]/g, "-")}`);
}
