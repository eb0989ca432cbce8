import { errorsFrom, type ErrorTable } from "@steading/kernel";

/** What the hub as a whole refuses. docs/reference/commands.md explains each code. */
const HUB_ERRORS = {
  HUB_DISARMED: {
    retryable: false,
    hint: "Somebody looks around first and then runs `steading arm` on the hub's machine. Off and stop work meanwhile.",
  },
} as const satisfies ErrorTable;

export const hubError = errorsFrom(HUB_ERRORS);
