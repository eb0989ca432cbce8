import { errorsFrom, SteadingError, type ErrorExtras, type ErrorTable } from "@steading/kernel";

/** Everything the graph itself refuses, beside the codes of the tools. */
export const SUBJECT_ERRORS = {
  INVALID_PATH: { retryable: false },
  PATH_NOT_FOUND: { retryable: false },
  NOT_A_PROPERTY: { retryable: false },
  NOT_A_SUBJECT: { retryable: false },
  PROPERTY_NOT_WRITABLE: { retryable: false },
  TYPE_MISMATCH: { retryable: false },
  NULL_NOT_ALLOWED: { retryable: false },
  OUT_OF_RANGE: { retryable: false },
  VALIDATION_FAILED: { retryable: false },
  SOURCE_UNAVAILABLE: { retryable: true },
  SOURCE_REJECTED: { retryable: false },
  TIMEOUT: { retryable: true },
  CONFLICT: { retryable: true, hint: "Somebody else changed it first. Read again and repeat." },
  DEFINITION_ERROR: { retryable: false },
  LISTENER_LOOP: {
    retryable: false,
    hint: "Listeners write to each other's properties without end; break the circle.",
  },
  GRAPH_MISMATCH: { retryable: false },
  DOOR_NEEDED: { retryable: false, hint: "Pass `perform`, the door, in the options." },
  TRANSACTION_FAILED: { retryable: false },
  TRANSACTION_STATE: { retryable: false },
} as const satisfies ErrorTable;
export type SubjectErrorCode = keyof typeof SUBJECT_ERRORS;

export const subjectError = errorsFrom(SUBJECT_ERRORS);

/**
 * What a method throws when the caller should read its sentence. Any other error that a method throws is shown as a
 * generic failure.
 */
export class SubjectError extends SteadingError {
  constructor(message: string, extras: ErrorExtras & { readonly code?: string } = {}) {
    const { code, ...rest } = extras;
    super(code ?? "METHOD_FAILED", message, rest);
    this.name = "SubjectError";
  }
}
