import { randomUUID } from "node:crypto";
import type { AuthInfo, ServerContext } from "@modelcontextprotocol/server";
import type { Caller } from "@steading/kernel";
import type { Authenticated } from "../auth/authenticator.ts";
import { readTraceContext, type TraceContext } from "../traces/trace-context.ts";

/** Who is at the other end. A `Caller` is made of it for each request. */
export interface Identity extends Authenticated {
  readonly transport: Caller["transport"];
}

/** How an identity travels through the SDK. The token itself stays outside: nothing behind the gate needs it. */
export function toAuthInfo(identity: Identity): AuthInfo {
  return {
    token: "",
    clientId: identity.principal,
    scopes: ["mcp"],
    ...(identity.expiresAt === undefined ? {} : { expiresAt: Math.floor(identity.expiresAt / 1_000) }),
    extra: { identity },
  };
}

export function identityFrom(auth: AuthInfo | undefined): Identity | undefined {
  const carried = auth?.extra?.["identity"];
  // Only `toAuthInfo` puts anything there.
  return carried as Identity | undefined;
}

/** The request's own identity where the transport carries one, else the one its connection was opened with. */
export function callerOf(context: ServerContext, connection: Identity): Caller {
  return callerFor(identityFrom(context.http?.authInfo) ?? connection, traceOf(context));
}

export function traceOf({ mcpReq, http }: ServerContext): TraceContext {
  return readTraceContext(mcpReq._meta, (name) => http?.req?.headers.get(name));
}

export function callerFor(identity: Identity, trace?: TraceContext): Caller {
  return {
    principal: identity.principal,
    role: identity.role,
    ...(identity.scope === undefined ? {} : { scope: identity.scope }),
    ...(identity.credential === undefined ? {} : { credential: identity.credential }),
    transport: identity.transport,
    correlation: randomUUID(),
    ...trace,
  };
}
