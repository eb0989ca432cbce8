import { randomUUID } from "node:crypto";
import { TRACEPARENT_META_KEY, type AuthInfo, type ServerContext } from "@modelcontextprotocol/server";
import type { Caller } from "@steading/kernel";
import type { Authenticated } from "../auth/authenticator.ts";

/** Who is at the other end. A `Caller` is made of it for each request. */
export interface Identity extends Authenticated {
  readonly transport: Caller["transport"];
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

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
  const meta = context.mcpReq._meta?.[TRACEPARENT_META_KEY] ?? context.http?.req?.headers.get("traceparent");
  return callerFor(identityFrom(context.http?.authInfo) ?? connection, meta);
}

export function callerFor(identity: Identity, traceparent?: unknown): Caller {
  return {
    principal: identity.principal,
    role: identity.role,
    ...(identity.scope === undefined ? {} : { scope: identity.scope }),
    ...(identity.credential === undefined ? {} : { credential: identity.credential }),
    transport: identity.transport,
    correlation: randomUUID(),
    ...(typeof traceparent === "string" && TRACEPARENT.test(traceparent) ? { traceparent } : {}),
  };
}
