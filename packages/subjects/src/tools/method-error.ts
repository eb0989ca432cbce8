import { randomUUID } from "node:crypto";
import { KERNEL_ERRORS, SteadingError, type Log } from "@steading/kernel";
import { SUBJECT_TOOL_ERRORS, toolError } from "./tool-errors.ts";

/**
 * What a method threw, as its caller may see it. A domain error was written for people and shows its sentence; anything
 * else may hold secrets, so it shows a reference to the log.
 */
export function methodError(log: Log, method: string, cause: unknown): SteadingError {
  if (cause instanceof SteadingError) {
    const isOurs = Object.hasOwn(SUBJECT_TOOL_ERRORS, cause.code) || Object.hasOwn(KERNEL_ERRORS, cause.code);
    if (isOurs) return cause;
    return toolError("METHOD_FAILED", cause.message, {
      details: { ...cause.details, reason: cause.code },
      retryable: cause.retryable,
      cause,
    });
  }
  const ref = randomUUID();
  log.error("A method failed.", cause, { method, ref });
  return toolError("METHOD_FAILED", `${method} failed; the log has it under ${ref}.`, { details: { ref }, cause });
}
