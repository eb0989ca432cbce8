import type { JsonObject, SteadingError } from "@steading/kernel";

/** The HTTP status of each code that can come out of the farm, its own and the kernel's. */
const STATUSES: Readonly<Record<string, number>> = {
  BAD_INPUT: 400,
  CHANNEL_UNKNOWN: 400,
  ALREADY_ACKNOWLEDGED: 400,
  INVALID_ARGUMENTS: 400,
  ARGUMENTS_TOO_LARGE: 413,
  NAME_REFUSED: 400,
  ROLE_REFUSED: 400,
  BACKUP_INVALID: 400,
  SCHEMA_NEWER: 409,
  PASSWORD_TOO_SHORT: 400,
  PASSWORD_TOO_LONG: 400,
  PASSWORD_WELL_KNOWN: 400,
  UNAUTHENTICATED: 401,
  LOGIN_FAILED: 401,
  ACCESS_DENIED: 403,
  SERVER_READ_ONLY: 403,
  FEATURE_OFF: 403,
  TEMPLATE_IS_SYSTEM: 403,
  TOKEN_SCOPE_REFUSED: 403,
  EQUIPMENT_UNKNOWN: 404,
  ZONE_UNKNOWN: 404,
  AUTOMATION_UNKNOWN: 404,
  ALERT_UNKNOWN: 404,
  LINK_UNKNOWN: 404,
  ERROR_UNKNOWN: 404,
  TEMPLATE_UNKNOWN: 404,
  USER_UNKNOWN: 404,
  ACCOUNT_UNKNOWN: 404,
  UNIT_IS_REGISTERED: 409,
  LAST_ADMIN: 409,
  TOO_MANY_ACCOUNTS: 409,
  HUB_DISARMED: 409,
  ALREADY_LINKED: 409,
  CHANNEL_IS_ON: 409,
  EQUIPMENT_DISABLED: 409,
  CONFLICT: 409,
  SUPERSEDED: 409,
  NAME_TAKEN: 409,
  NOT_SWITCHABLE: 422,
  LIMIT_EXCEEDED: 422,
  EXCLUDED: 422,
  TOO_SOON: 422,
  RATE_EXCEEDED: 422,
  LOGIN_THROTTLED: 429,
  NOT_AVAILABLE: 501,
  DEVICE_EXCEPTION: 502,
  DEVICE_GARBLED: 502,
  DEVICE_UNCONFIRMED: 502,
  GATEWAY_DOWN: 502,
  BUS_BUSY: 503,
  LOGIN_BUSY: 503,
  LANE_BUSY: 503,
  STORE_BUSY: 503,
  STORE_FULL: 503,
  STORE_FAILED: 503,
  STORE_CLOSED: 503,
  CANCELLED: 503,
  DEVICE_TIMEOUT: 504,
  TIMEOUT: 504,
};

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  422: "Refused",
  429: "Too Many Requests",
  501: "Not Implemented",
  502: "Device Error",
  503: "Service Unavailable",
  504: "Device Timeout",
};

export function reasonFor(status: number): string {
  return REASONS[status] ?? (status < 500 ? "Bad Request" : "Internal Server Error");
}

/** Refusals of a safety rule say which rule it was. */
const RULES: Readonly<Record<string, string>> = {
  EQUIPMENT_DISABLED: "disabled",
  HUB_DISARMED: "disarmed",
  SUPERSEDED: "later_off",
  LIMIT_EXCEEDED: "limit",
  EXCLUDED: "interlock",
  TOO_SOON: "minimum_time",
  RATE_EXCEEDED: "rate",
};

export function farmStatus(code: string): number | undefined {
  return STATUSES[code];
}

/** `{ error, message, status, retryable }`, and whatever else helps: the ids and choices that the sentence names. */
export function farmErrorJson({ code, message, retryable, details }: SteadingError): JsonObject {
  const status = farmStatus(code) ?? 500;
  const rule = RULES[code];
  return {
    error: reasonFor(status),
    message,
    status,
    retryable,
    ...(rule === undefined ? {} : { rule }),
    code,
    ...(details === undefined ? {} : { details }),
  };
}
