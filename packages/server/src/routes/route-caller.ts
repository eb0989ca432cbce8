import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { effectiveRole, roleAtLeast, SteadingError, type Caller, type Role } from "@steading/kernel";
import type { Authenticated } from "../auth/authenticator.ts";
import { bearerToken } from "../auth/bearer-gate.ts";
import type { VerifiedTokens } from "../auth/verified-tokens.ts";
import { callerFor } from "../eras/identity.ts";
import { readTraceContext } from "../traces/trace-context.ts";

/** Somebody at a route or a socket, with what they came with. */
export interface RouteCaller {
  readonly caller: Caller;
  readonly known: Authenticated | undefined;
  readonly token: string | undefined;
}

export interface RouteGate {
  /**
   * Throws UNAUTHENTICATED or ACCESS_DENIED. A `public` address lets everybody in, and whoever has a credential that
   * stands as themselves. `part` is what a token's list of toolsets must name.
   */
  admit(
    req: IncomingMessage,
    wanted: { readonly role: Role | "public"; readonly part: string; readonly token?: string | undefined },
  ): Promise<RouteCaller>;
}

export function createRouteGate({
  verified,
  anonymous,
}: {
  readonly verified: VerifiedTokens;
  /** Who a request without credentials is, where such are let in. */
  readonly anonymous: Authenticated | undefined;
}): RouteGate {
  async function lookUp(token: string, role: Role | "public"): Promise<Authenticated | undefined> {
    try {
      return await verified.authenticate(token);
    } catch (error) {
      // Nobody has to prove anything here; a login must work while an issuer is out of reach.
      if (role === "public") return undefined;
      throw error;
    }
  }

  return {
    async admit(req, { role, part, token: given }) {
      const { authorization } = req.headers;
      const token = given ?? (authorization === undefined ? undefined : bearerToken(authorization));
      const malformed = token === undefined && authorization !== undefined;
      const known = token !== undefined ? await lookUp(token, role) : malformed ? undefined : anonymous;
      if (known === undefined) {
        if (role === "public") return { caller: nobody(), known, token };
        throw unauthenticated(token !== undefined || malformed);
      }
      const caller = callerFor(
        { ...known, transport: "rest" },
        readTraceContext(undefined, (name) => req.headers[name]),
      );
      if (role !== "public") authorise(caller, role, part);
      return { caller, known, token };
    },
  };
}

function authorise(caller: Caller, needed: Role, part: string): void {
  if (!roleAtLeast(effectiveRole(caller), needed)) {
    throw new SteadingError("ACCESS_DENIED", `This needs the role ${needed}.`, { details: { needed } });
  }
  const toolsets = caller.scope?.toolsets;
  if (toolsets !== undefined && !toolsets.includes(part)) {
    throw new SteadingError("ACCESS_DENIED", `This token is not for ${part}.`, { details: { part } });
  }
}

function unauthenticated(came: boolean): SteadingError {
  const message = came ? "The token is unknown, expired or revoked." : "This address needs a bearer token.";
  return new SteadingError("UNAUTHENTICATED", message, { hint: "Send `Authorization: Bearer <token>`." });
}

/** Has a role, because every caller has one, and a scope that reaches nothing. */
function nobody(): Caller {
  return {
    principal: "nobody",
    role: "viewer",
    scope: { role: "viewer", toolsets: [], pathPrefixes: [] },
    transport: "rest",
    correlation: randomUUID(),
  };
}
