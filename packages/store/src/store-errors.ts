import { errorsFrom, type ErrorTable } from "@steading/kernel";

/** Every code this package throws. The reference page lists the same ones. */
export const STORE_ERRORS = {
  REVISION_STALE: { retryable: false, hint: "Read the entry again and decide on what it says." },
  STORE_BUSY: { retryable: true, hint: "Wait for running commits to be answered, then try again." },
  STORE_FULL: {
    retryable: false,
    hint: "Free space on the disk of the data directory, or raise the store's size limit.",
  },
  STORE_FAILED: {
    retryable: false,
    hint: "Look at the disk of the data directory; the log holds what it said.",
  },
  STORE_CLOSED: { retryable: false },
  STORE_CORRUPT: {
    retryable: false,
    hint: "Stop the hub, put the data directory aside, and restore the latest backup with `steading restore`.",
  },
  SCHEMA_NEWER: {
    retryable: false,
    hint: "Start the Steading version that wrote it or a later one, or restore a backup made by this version.",
  },
  BACKUP_INVALID: { retryable: false, hint: "Choose a directory that `steading backup` made and nobody has changed." },
  DATA_DIR_LOCKED: {
    retryable: true,
    hint: "Stop the other process, or choose another directory with `--data`.",
  },
  SOURCE_UNREADABLE: { retryable: false, hint: "Give the path of a SQLite database that this user may read." },
  SOURCE_BUSY: { retryable: true, hint: "Stop the program that writes it, then try again." },
  SERIES_UNKNOWN: {
    retryable: false,
    hint: "Only properties with readings have a history; list the series to see them.",
  },
  QUERY_INVALID: { retryable: false },
  COMMIT_INVALID: { retryable: false },
  COMMIT_TOO_LARGE: { retryable: false, hint: "Split it, or raise the store's `commitBytes`." },
} as const satisfies ErrorTable;

export type StoreErrorCode = keyof typeof STORE_ERRORS;

export const storeError = errorsFrom(STORE_ERRORS);
