import { errorsFrom, type ErrorTable } from "@steading/kernel";

/** Codes the shell itself raises; what a tool raises is in that tool's table. */
export const SHELL_ERRORS = {
  PORT_TAKEN: { retryable: true, hint: "Choose another port in the named setting, or stop the process that holds it." },
  LISTEN_REFUSED: { retryable: false },
  LISTEN_INSECURE: {
    retryable: false,
    hint: "Listen on 127.0.0.1, or say `insecure: true` and name the allowed hosts.",
  },
  SOCKET_TAKEN: { retryable: true, hint: "Another hub serves this socket; attach to it or stop it." },
  TOKEN_TOO_SHORT: { retryable: false, hint: "Give at least 32 random characters." },
  TOKEN_UNKNOWN: { retryable: false },
  TOOL_UNKNOWN: { retryable: false, hint: "Use find_tools to see what there is." },
  SCHEMA_REFUSED: { retryable: false, hint: "Use JSON Schema 2020-12 without references to other documents." },
  RESULT_TOO_LARGE: { retryable: false, hint: "Read the linked resource, or ask for less." },
  CALL_TOO_LONG: { retryable: true, hint: "Use a client that takes tasks, or ask for less." },
  TOO_MANY_TASKS: { retryable: true, hint: "Wait until some of the running tasks are over." },
  TOO_MANY_TOKENS: { retryable: false, hint: "Revoke tokens that are no longer used." },
} as const satisfies ErrorTable;

export const shellError = errorsFrom(SHELL_ERRORS);
