/** Least first: each role may do all that the ones before it may. */
export const ROLES = ["viewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

export function roleAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** What a token may do at most, whatever its owner's role is. */
export interface TokenScope {
  readonly role?: Role;
  readonly toolsets?: readonly string[];
  readonly pathPrefixes?: readonly string[];
}

export interface Caller {
  /** Who answers for the call: a user, a token's owner, an automation, a plan's owner. Idempotency keys are theirs alone. */
  readonly principal: string;
  readonly role: Role;
  readonly scope?: TokenScope;
  /** The id of the token it came with, never the token. Who may act is looked up again by it after a wait. */
  readonly credential?: string;
  readonly transport: "http" | "stdio" | "socket" | "rest" | "cli" | "console" | "internal";
  /** One per request; ties answer, audit record and log lines together. */
  readonly correlation: string;
  /** W3C trace context, when the caller sent one. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

/** The role that counts: the caller's own, narrowed by the token. */
export function effectiveRole(caller: Caller): Role {
  const limit = caller.scope?.role;
  return limit !== undefined && roleAtLeast(caller.role, limit) ? limit : caller.role;
}
