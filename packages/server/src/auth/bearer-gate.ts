import type { IncomingMessage, ServerResponse } from "node:http";
import type { Identity } from "../eras/identity.ts";
import { sendJson } from "../http/respond.ts";
import type { Authenticated, Authenticator } from "./authenticator.ts";
import type { VerifiedTokens } from "./verified-tokens.ts";

/** Somebody the gate let in. */
export interface Admitted {
  readonly identity: Identity;
  /** Undefined: let in without one. */
  readonly token: string | undefined;
}

export interface BearerGate {
  /** Undefined: refused, and already answered with 401. */
  admit(req: IncomingMessage, res: ServerResponse, path: string): Admitted | undefined | Promise<Admitted | undefined>;
}

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** Credentials travel in the Authorization header and nowhere else: a query string ends in logs and histories. */
export function createBearerGate({
  authenticator,
  verified,
}: {
  readonly authenticator: Authenticator;
  readonly verified: VerifiedTokens;
}): BearerGate {
  const anonymous = authenticator.anonymous === undefined ? undefined : overHttp(authenticator.anonymous);
  return {
    admit(req, res, path) {
      const header = req.headers.authorization;
      if (header === undefined) {
        if (anonymous !== undefined) return { identity: anonymous, token: undefined };
        return refuse(req, res, path, "This address needs a bearer token");
      }
      const token = BEARER.exec(header)?.[1];
      if (token === undefined) return refuse(req, res, path, "The Authorization header is not a bearer token");
      const who = verified.authenticate(token);
      const admit = (known: Authenticated | undefined): Admitted | undefined =>
        known === undefined ? refuse(req, res, path, UNKNOWN_TOKEN) : { identity: overHttp(known), token };
      return who instanceof Promise ? who.then(admit) : admit(who);
    },
  };
}

const identities = new WeakMap<Authenticated, Identity>();

/** The same object for the same person as long as they are remembered. */
function overHttp(who: Authenticated): Identity {
  const known = identities.get(who);
  if (known !== undefined) return known;
  const identity: Identity = { ...who, transport: "http" };
  identities.set(who, identity);
  return identity;
}

const UNKNOWN_TOKEN = "The token is unknown, expired or revoked";

function refuse(req: IncomingMessage, res: ServerResponse, path: string, sentence: string): undefined {
  // The Host header was checked against the allow-list, so it may be repeated.
  const metadata = `http://${req.headers.host ?? "localhost"}/.well-known/oauth-protected-resource${path}`;
  const challenge = `Bearer error="invalid_token", error_description="${sentence}", scope="mcp", resource_metadata="${metadata}"`;
  sendJson(res, 401, { error: "invalid_token", error_description: sentence }, { "WWW-Authenticate": challenge });
  return undefined;
}
