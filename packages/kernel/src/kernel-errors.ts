import { errorsFrom, type ErrorTable } from "./steading-error.ts";

/** Every code the kernel throws. docs/reference/kernel.md explains each one. */
export const KERNEL_ERRORS = {
  INVALID_ARGUMENTS: { retryable: false, hint: "Correct every field named in `problems` and call again." },
  REVISION_STALE: { retryable: false, hint: "Read the entry again and decide anew." },
  STORE_CLOSED: { retryable: false },
  STORE_FULL: { retryable: false, hint: "Make room on the disk, or raise the limit." },
} as const satisfies ErrorTable;

export const kernelError = errorsFrom(KERNEL_ERRORS);
