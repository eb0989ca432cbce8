import { errorsFrom, type ErrorTable } from "@steading/kernel";

/** Every code that the subject tools answer with. The reference page lists the same rows; a test compares the two. */
export const SUBJECT_TOOL_ERRORS = {
  INVALID_PATH: { retryable: false },
  PATH_NOT_FOUND: { retryable: false },
  NOT_A_PROPERTY: { retryable: false },
  NOT_A_SUBJECT: { retryable: false },
  SERVER_READ_ONLY: { retryable: false, hint: "Set `access: write` in the settings to allow changes." },
  PROPERTY_NOT_WRITABLE: { retryable: false },
  ACCESS_DENIED: { retryable: false },
  TYPE_MISMATCH: { retryable: false },
  NULL_NOT_ALLOWED: { retryable: false },
  OUT_OF_RANGE: { retryable: false },
  VALIDATION_FAILED: { retryable: false },
  METHOD_NOT_FOUND: { retryable: false },
  METHOD_DISABLED: { retryable: true },
  CONFIRMATION_REQUIRED: {
    retryable: true,
    hint: "Repeat the call with `approval` set to this id once it is granted.",
  },
  INVALID_ARGUMENTS: { retryable: false },
  METHOD_FAILED: { retryable: false },
  SOURCE_UNAVAILABLE: { retryable: true },
  SOURCE_REJECTED: { retryable: false },
  TIMEOUT: { retryable: false },
  CONFLICT: { retryable: true },
  SNAPSHOT_NOT_FOUND: { retryable: false },
  INTERNAL: { retryable: false },
} as const satisfies ErrorTable;

export type SubjectToolCode = keyof typeof SUBJECT_TOOL_ERRORS;

export const toolError = errorsFrom(SUBJECT_TOOL_ERRORS);
