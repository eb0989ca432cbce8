import { errorsFrom, type ErrorTable, type JsonObject, type SteadingError } from "@steading/kernel";
import { farmErrorJson, farmStatus, reasonFor } from "../farm-status.ts";

/** What can go wrong between the bridge and its core, besides what the core itself says. */
export const BRIDGE_ERRORS = {
  CORE_DOWN: { retryable: true, hint: "Check that the core runs and that its address is right." },
  CORE_TIMEOUT: { retryable: true, hint: "Look what became of it before a command is repeated." },
  CORE_GARBLED: { retryable: true, hint: "Check that the address is that of a SenseHub core." },
  CORE_FAILED: { retryable: true, hint: "The core's own log tells more." },
  CORE_BUSY: { retryable: true, hint: "Wait a moment." },
  SESSION_ENDED: { retryable: false, hint: "Log in at the core and connect with the token it gives." },
  SERVICE_LOGIN_MISSING: { retryable: false, hint: "Set both variables, or connect with a login token of the core." },
  SERVICE_LOGIN_REFUSED: { retryable: false, hint: "Correct MCP_SENSEHUB_EMAIL and MCP_SENSEHUB_PASSWORD." },
  // The shell knows this one: it answers 503 instead of calling a token bad that nobody could check.
  ISSUER_UNREACHABLE: { retryable: true },
} as const satisfies ErrorTable;

type BridgeCode = keyof typeof BRIDGE_ERRORS;

export const bridgeError = errorsFrom(BRIDGE_ERRORS);

const STATUSES: Readonly<Record<BridgeCode, number>> = {
  CORE_DOWN: 503,
  CORE_TIMEOUT: 504,
  CORE_GARBLED: 502,
  CORE_FAILED: 502,
  CORE_BUSY: 503,
  SESSION_ENDED: 401,
  SERVICE_LOGIN_MISSING: 503,
  SERVICE_LOGIN_REFUSED: 503,
  ISSUER_UNREACHABLE: 503,
};

function isBridgeCode(code: string): code is BridgeCode {
  return Object.hasOwn(STATUSES, code);
}

export function bridgeStatus(code: string): number | undefined {
  return isBridgeCode(code) ? STATUSES[code] : farmStatus(code);
}

/** The farm's form of an error. */
export function bridgeErrorJson(error: SteadingError): JsonObject {
  const { code, message, retryable, details } = error;
  const rule = details?.["rule"];
  if (!isBridgeCode(code)) return { ...farmErrorJson(error), ...(typeof rule === "string" ? { rule } : {}) };
  const status = STATUSES[code];
  // The farm's words for 502 and 504 speak of devices; these are about the core.
  const reason = { 502: "Bad Gateway", 504: "Gateway Timeout" }[status] ?? reasonFor(status);
  return { error: reason, message, status, retryable, code, ...(details === undefined ? {} : { details }) };
}
