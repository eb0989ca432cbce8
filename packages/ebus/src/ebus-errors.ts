import { errorsFrom, type ErrorTable } from "@steading/kernel";

/** The codes of the eBUS tools' envelope. */
export const EBUS_ERRORS = {
  INVALID_ARGUMENT: { retryable: false },
  NOT_FOUND: { retryable: false },
  PERMISSION_DENIED: { retryable: false },
  CONFLICT: { retryable: false },
  TIMEOUT: { retryable: true },
  PROTOCOL_ERROR: { retryable: false },
  BUS_UNAVAILABLE: { retryable: true },
  INTERNAL: { retryable: false },
} as const satisfies ErrorTable;

export const ebusError = errorsFrom(EBUS_ERRORS);
