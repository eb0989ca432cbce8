import { errorsFrom, type ErrorTable } from "@steading/kernel";

/** What an import as a whole is refused for. A single row that makes no sense is in the report instead. */
export const IMPORT_ERRORS = {
  NOT_A_FARM: { retryable: false, hint: "Give the SQLite file of a SenseHub, usually called sensehub.db." },
  FARM_NOT_EMPTY: {
    retryable: false,
    hint: "Numbers must not be given twice. Import into an empty data directory: choose another one with `--data`.",
  },
  IMPORT_STOPPED: { retryable: true, hint: "Nothing of the farm was taken; run it again from the beginning." },
} as const satisfies ErrorTable;

export const importError = errorsFrom(IMPORT_ERRORS);
