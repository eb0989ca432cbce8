import { KERNEL_ERRORS, receiptJson, SteadingError, type JsonObject, type Outcome } from "@steading/kernel";
import { SUBJECT_TOOL_ERRORS, toolError } from "./tool-errors.ts";

/** The receipt as answers and errors carry it. */
export function receiptOf(outcome: Outcome): ReturnType<typeof receiptJson> & JsonObject {
  return { ...receiptJson(outcome.receipt) };
}

/** What a door's outcome means to the caller. Throws unless the device at least said yes. */
export function requireSuccess(outcome: Outcome, what: string): "acknowledged" | "confirmed" {
  const { stage } = outcome.receipt;
  if (stage === "observed") return "confirmed";
  if (stage === "acknowledged") return "acknowledged";
  const { error } = outcome;
  const because = error === undefined ? "" : ` ${error.message}`;
  const details = { receipt: receiptOf(outcome), ...(error === undefined ? {} : { reason: error.code }) };
  if (stage === "failed") throw toolError("SOURCE_REJECTED", `The device refused ${what}.${because}`, { details });
  // Sent and not answered is no success, and not a failure either: whoever repeats it blindly may do it twice.
  throw toolError("TIMEOUT", `Whether ${what} took effect is not known.${because}`, {
    details,
    hint: "Read the property again, or ask get_action with the receipt's action, before you repeat it.",
  });
}

/**
 * An error from the way to the device, in the words of the tools' own table. The kernel's refusals keep their codes;
 * what a driver throws before its first byte means that the device could not be reached.
 */
export function deviceError(cause: unknown): unknown {
  if (!(cause instanceof SteadingError)) return cause;
  if (cause.code === "TRANSACTION_FAILED")
    return toolError("SOURCE_REJECTED", cause.message, { ...extrasOf(cause), cause });
  if (Object.hasOwn(SUBJECT_TOOL_ERRORS, cause.code) || Object.hasOwn(KERNEL_ERRORS, cause.code)) return cause;
  return toolError("SOURCE_UNAVAILABLE", cause.message, { details: { ...cause.details, reason: cause.code }, cause });
}

function extrasOf({ details }: SteadingError): { details?: JsonObject } {
  return details === undefined ? {} : { details };
}
