import {
  asSteadingError,
  type Json,
  type Log,
  type PartHttp,
  type Route,
  type RouteFailure,
  type SteadingError,
} from "@steading/kernel";

/** By what kind of trouble it is; a route's own `errorStatus` comes first. */
const STATUS: Readonly<Record<string, number>> = {
  INVALID_ARGUMENTS: 400,
  BODY_INVALID: 400,
  UNAUTHENTICATED: 401,
  ACCESS_DENIED: 403,
  SERVER_READ_ONLY: 403,
  SCOPE_MISSING: 403,
  FEATURE_OFF: 403,
  ROUTE_UNKNOWN: 404,
  METHOD_NOT_ALLOWED: 405,
  BODY_TOO_SLOW: 408,
  CONFLICT: 409,
  REVISION_STALE: 409,
  CONFIRMATION_REQUIRED: 409,
  APPROVAL_PENDING: 409,
  APPROVAL_DECLINED: 409,
  APPROVAL_EXPIRED: 409,
  APPROVAL_USED: 409,
  APPROVAL_MISMATCH: 409,
  SUPERSEDED: 409,
  BODY_TOO_LARGE: 413,
  ARGUMENTS_TOO_LARGE: 413,
  // Refused by a rule about the physical world.
  LIMIT_EXCEEDED: 422,
  EXCLUDED: 422,
  TOO_SOON: 422,
  RATE_EXCEEDED: 422,
  TOO_MANY_CALLS: 429,
  LANE_BUSY: 503,
  STORE_BUSY: 503,
  STORE_CLOSED: 503,
  ISSUER_UNREACHABLE: 503,
  CANCELLED: 503,
  TIMEOUT: 504,
  STORE_FULL: 507,
};
const ABSENT = /_(?:UNKNOWN|NOT_FOUND)$/;

/** What is thrown becomes an answer; what nobody foresaw becomes a reference to the log. */
export function failureOf(thrown: unknown, route: Route | undefined, log: Log): RouteFailure {
  const error = asSteadingError(log, `A route failed: ${route?.method ?? ""} ${route?.path ?? ""}.`, thrown);
  return failureFrom(error, statusOf(error.code, route, log));
}

function statusOf(code: string, route: Route | undefined, log: Log): number {
  try {
    const own = route?.errorStatus?.(code);
    if (own !== undefined && Number.isInteger(own) && own >= 400 && own <= 599) return own;
  } catch (error) {
    log.error("A route could not say which status an error has.", error, { code });
  }
  return STATUS[code] ?? (ABSENT.test(code) ? 404 : 500);
}

function failureFrom({ code, message, retryable, hint, details }: SteadingError, status: number): RouteFailure {
  return {
    status,
    code,
    message,
    retryable,
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  };
}

/** The part's own words where it has some, else ours. */
export function failureBody(failure: RouteFailure, http: PartHttp, log: Log): string {
  try {
    if (http.errorBody) return JSON.stringify(http.errorBody(failure));
  } catch (error) {
    log.error("A part could not put an error into words.", error, { code: failure.code });
  }
  const { code, message, retryable, hint, details } = failure;
  const body: Json = {
    ...details,
    error: message,
    code,
    ...(hint === undefined ? {} : { hint }),
    ...(retryable ? { retryable } : {}),
  };
  return JSON.stringify(body);
}
