import { errorsFrom, type ErrorTable } from "./steading-error.ts";

/** Every code the kernel throws. docs/reference/kernel.md explains each one. */
export const KERNEL_ERRORS = {
  INVALID_ARGUMENTS: { retryable: false, hint: "Correct every field named in `problems` and call again." },
  ARGUMENTS_TOO_LARGE: { retryable: false, hint: "Split the call into smaller ones." },
  FEATURE_OFF: { retryable: false },
  ACTION_UNKNOWN: { retryable: false, hint: "`list_actions` shows the actions that are kept." },
  ACCESS_DENIED: { retryable: false, hint: "Ask somebody with the needed role, or use another token." },
  SERVER_READ_ONLY: { retryable: false, hint: "Set `access: write` in the settings to allow it." },
  CONFLICT: { retryable: false, hint: "Use another idempotency key for another action." },
  CONFIRMATION_REQUIRED: { retryable: false },
  APPROVAL_UNKNOWN: { retryable: false, hint: "Call without `approval` to ask for a fresh one." },
  APPROVAL_EXPIRED: { retryable: false, hint: "Call without `approval` to ask for a fresh one." },
  APPROVAL_USED: { retryable: false, hint: "Call without `approval` to ask for a fresh one." },
  APPROVAL_MISMATCH: { retryable: false, hint: "Repeat exactly the call that the approval was asked for." },
  APPROVAL_PENDING: { retryable: true, hint: "Repeat the call once somebody has approved it." },
  APPROVAL_DECLINED: { retryable: false },
  APPROVAL_OWN: { retryable: false, hint: "Decide it at the console, with `steading approve`, or as somebody else." },
  APPROVALS_FULL: { retryable: true, hint: "Decide the waiting ones, or wait until they expire." },
  LANE_BUSY: { retryable: true, hint: "Wait until the target has worked off what is waiting." },
  SUPERSEDED: { retryable: false, hint: "Look at the target before you ask again." },
  NOT_OBSERVED: { retryable: false, hint: "Ask `get_action` later, or look at the target." },
  INTERRUPTED: { retryable: false, hint: "Look at the target before you ask again." },
  OBSERVER_UNKNOWN: { retryable: false },
  TIMEOUT: { retryable: true },
  CANCELLED: { retryable: true },
  INTERNAL: { retryable: false, hint: "The log tells more under this reference." },
  REVISION_STALE: { retryable: false, hint: "Read the entry again and decide anew." },
  STORE_CLOSED: { retryable: false },
  STORE_FULL: { retryable: false, hint: "Make room on the disk, or raise the limit." },
} as const satisfies ErrorTable;

export const kernelError = errorsFrom(KERNEL_ERRORS);
