import { randomBytes } from "node:crypto";
import { kernelError } from "./kernel-errors.ts";
import type { Log } from "./log.ts";
import { SteadingError } from "./steading-error.ts";

/** Hides what an unknown exception says from the caller and puts it into the log, under a reference both can name. */
export function internalError(log: Log, message: string, cause: unknown): SteadingError {
  const ref = randomBytes(6).toString("hex");
  log.error(message, cause, { ref });
  return kernelError("INTERNAL", `Something went wrong inside the hub; its log has the details under ${ref}.`, {
    details: { ref },
  });
}

/** Ours pass as they are, anything else is hidden. */
export function asSteadingError(log: Log, message: string, error: unknown): SteadingError {
  return error instanceof SteadingError ? error : internalError(log, message, error);
}
