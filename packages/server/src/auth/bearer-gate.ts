import type { IncomingMessage, ServerResponse } from "node:http";
import type { Identity } from "../eras/identity.ts";
import { SteadingError, type JsonObject } from "@steading/kernel";
import type { EdgeCounters } from "../http/edge-counters.ts";
import { ownAddress } from "../http/own-address.ts";
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
  /** Undefined: refused, and already answered. `leaning` is the token of a request that brings none of its own. */
  admit(
    req: IncomingMessage,
    res: ServerResponse,
    path: string,
    leaning?: string,
  ): Admitted | undefined | Promise<Admitted | undefined>;
  /** Whose token came with the request. Refuses nobody: a bad token is none. */
  identify(req: IncomingMessage): Promise<Authenticated | undefined>;
}

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** The token of an Authorization header; undefined: it is no bearer token. */
export function bearerToken(header: string): string | undefined {
  return BEARER.exec(header)?.[1];
}

/** Credentials travel in the Authorization header and nowhere else: a query string ends in logs and histories. */
export function createBearerGate({
  authenticator,
  verified,
  edge,
  publicUrl,
  refusalBody = oauthBody,
}: {
  readonly authenticator: Authenticator;
  readonly verified: VerifiedTokens;
  readonly edge: EdgeCounters;
  /** The hub's address as clients see it. Absent: as each request spells it. */
  readonly publicUrl?: string | undefined;
  refusalBody?(refusal: Refusal): JsonObject;
}): BearerGate {
  const anonymous = authenticator.anonymous === undefined ? undefined : overHttp(authenticator.anonymous);
  function refuse(req: IncomingMessage, res: ServerResponse, path: string, refusal: Refusal): undefined {
    const { status, error, sentence } = refusal;
    edge.count(REFUSALS[status]);
    const metadata = `${ownAddress(req, publicUrl)}/.well-known/oauth-protected-resource${path}`;
    const challenge = `Bearer error="${error}", error_description="${sentence}", scope="mcp", resource_metadata="${metadata}"`;
    const headers = status === 503 ? { "Retry-After": RETRY_AFTER_SECONDS } : { "WWW-Authenticate": challenge };
    sendJson(res, status, refusalBody(refusal), headers);
    return undefined;
  }

  return {
    admit(req, res, path, leaning) {
      const header = req.headers.authorization;
      if (header === undefined && leaning === undefined) {
        if (anonymous !== undefined) return { identity: anonymous, token: undefined };
        return refuse(req, res, path, invalid("This address needs a bearer token"));
      }
      const token = header === undefined ? leaning : bearerToken(header);
      if (token === undefined) return refuse(req, res, path, invalid("The Authorization header is not a bearer token"));
      const admit = (known: Authenticated | undefined): Admitted | undefined =>
        known === undefined ? refuse(req, res, path, UNKNOWN_TOKEN) : { identity: overHttp(known), token };
      const who = verified.authenticate(token);
      if (!(who instanceof Promise)) return admit(who);
      return who.then(admit, (fault: unknown) => refuse(req, res, path, refusalOf(fault)));
    },
    async identify({ headers: { authorization } }) {
      const token = authorization === undefined ? undefined : bearerToken(authorization);
      if (token === undefined) return undefined;
      try {
        return await verified.authenticate(token);
      } catch {
        return undefined; // not for us, or nobody can tell at present: no better than none
      }
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

/** The sentences are ours and the same for everybody: what a verifier found is nobody's business. */
export interface Refusal {
  readonly status: 401 | 403 | 503;
  readonly error: string;
  readonly sentence: string;
}
const REFUSALS = { 401: "unauthorized", 403: "forbidden", 503: "unverifiable" } as const;
const UNKNOWN_TOKEN = invalid("The token is unknown, expired or revoked");
const RETRY_AFTER_SECONDS = 30;

function oauthBody({ error, sentence }: Refusal): JsonObject {
  return { error, error_description: sentence };
}

function invalid(sentence: string): Refusal {
  return { status: 401, error: "invalid_token", sentence };
}

/** A genuine token may still not be for us, and an issuer may be out of reach: neither makes the token a bad one. */
function refusalOf(fault: unknown): Refusal {
  const code = fault instanceof SteadingError ? fault.code : undefined;
  if (code === "SCOPE_MISSING")
    return { status: 403, error: "insufficient_scope", sentence: "The token lacks the scope mcp" };
  if (code === "ISSUER_UNREACHABLE")
    return {
      status: 503,
      error: "temporarily_unavailable",
      sentence: "The issuer of the token cannot be asked at present",
    };
  throw fault;
}
