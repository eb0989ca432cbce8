export { openStore, type Store, type StoreCounters, type StoreDeps } from "./store.ts";
export { DATA_CLASSES, type DataClasses } from "./data-classes.ts";
export { STORE_LIMITS, type StoreLimits } from "./store-limits.ts";
export { STORE_ERRORS, type StoreErrorCode } from "./store-errors.ts";
export type { LedgerCounters } from "./ledger/ledger-counters.ts";
export {
  QUALITIES,
  type Appended,
  type Bucket,
  type BucketQuery,
  type Buckets,
  type ExportQuery,
  type History,
  type Quality,
  type RangePage,
  type RangeQuery,
  type Reading,
  type SeriesInfo,
  type SeriesOptions,
  type Tidied,
} from "./history.ts";
export { HISTORY_LIMITS, type HistoryLimits } from "./history/history-limits.ts";
export type { HistoryCounters } from "./history/history-counters.ts";
export type { FoundRecords, RecordQuery, RecordSearch } from "./record-search.ts";
export type { BackupManifest } from "./backup/backup-manifest.ts";
export type { TimerEntry } from "./backup/overdue-timers.ts";
export type { Disarmed } from "./backup/epoch.ts";
export { cancelRestore, stageRestore, type StagedRestore, type StageRestore } from "./backup/stage-restore.ts";
export type { PartMigration, PartMigrations } from "./part-migrations.ts";
export { openForeignDatabase, type ForeignDatabase } from "./foreign/foreign-database.ts";
export type { ForeignRow, ForeignValue } from "./sqlite/read-foreign.ts";
