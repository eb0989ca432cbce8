import { errorsFrom, type ErrorTable } from "@steading/kernel";

/** The device side of the subjects contract's codes, as far as a lamp can raise them. */
export const LAMP_ERRORS = {
  SOURCE_UNAVAILABLE: {
    retryable: true,
    hint: "Check that the lamp has power and that its host and port in the settings are right.",
  },
  SOURCE_REJECTED: {
    retryable: false,
    hint: "The lamp did not understand the command; is something else at its port?",
  },
  LAMP_UNKNOWN: { retryable: false, hint: "`query` with the path /lamps lists the lamps there are." },
  TIMEOUT: { retryable: true, hint: "Ask with get_action what became of it before you try again." },
} as const satisfies ErrorTable;

export const lampError = errorsFrom(LAMP_ERRORS);
