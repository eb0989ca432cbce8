import type { Authenticated, Clock, JsonObject, Log, TokenScope } from "@steading/kernel";
import { errors, jwtVerify, type JWTPayload, type JWTVerifyOptions } from "jose";
import { accountError } from "../account-errors.ts";
import { credentialOf } from "../credentials.ts";
import { checkedScope } from "../token-scope.ts";
import { claimedRole, claimedScopes } from "./claimed-role.ts";
import { createIssuerDocument, type IssuerDocument } from "./issuer-document.ts";
import { createIssuerKeys, type IssuerKeys } from "./issuer-keys.ts";
import { canonicalUrl, checkIssuer, type IssuerSettings } from "./issuer-settings.ts";

/** Tokens that configured issuers have signed for this hub. */
export interface ForeignTokens {
  /** Undefined: not a token that this issuer signed for us. Throws SCOPE_MISSING and ISSUER_UNREACHABLE. */
  authenticate(token: string, issuer: string): Promise<Authenticated | undefined>;
  readonly issuers: readonly string[];
  /** What the first issuer says about itself. */
  document(): Promise<JsonObject | undefined>;
  readonly keyFetches: number;
  readonly keyFailures: number;
}

interface Issuer {
  readonly settings: IssuerSettings;
  readonly keys: IssuerKeys;
  readonly document: IssuerDocument;
  readonly scope: TokenScope | undefined;
}

/** Clocks of two machines differ; a token may come from this far in the future. */
const TOLERANCE_SECONDS = 30;
const SUBJECT_CHARACTERS = 255;

export function createForeignTokens({
  issuers: settings,
  audience,
  placeToolsets,
  clock,
  log,
  onKeyGone,
}: {
  readonly issuers: readonly IssuerSettings[];
  /** The canonical address of this hub's MCP endpoint. */
  readonly audience: string;
  readonly placeToolsets: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  onKeyGone(): void;
}): ForeignTokens {
  const issuers = new Map<string, Issuer>();
  for (const each of settings) {
    checkIssuer(each);
    const { name, issuer, jwksUrl } = each;
    if (issuers.has(issuer) || [...issuers.values()].some((other) => other.settings.name === name))
      throw accountError("ISSUER_REFUSED", `Two issuers share the name ${name} or the address ${issuer}.`);
    const document = createIssuerDocument({ name, issuer, clock, log });
    const url = jwksUrl === undefined ? () => document.jwksUrl() : () => Promise.resolve(jwksUrl);
    const keys = createIssuerKeys({ name, url, clock, log, onKeyGone });
    issuers.set(issuer, { settings: each, keys, document, scope: checkedScope(scopeOf(each), placeToolsets) });
  }

  async function claimsOf(token: string, { settings: { issuer, algorithms }, keys }: Issuer): Promise<JWTPayload> {
    const options: JWTVerifyOptions = {
      issuer,
      algorithms,
      currentDate: new Date(clock.now()),
      clockTolerance: TOLERANCE_SECONDS,
      requiredClaims: ["exp", "sub"],
    };
    try {
      return (await jwtVerify(token, keys.find, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      // The token names no key and several would do.
      for await (const key of error) {
        const verified = await jwtVerify(token, key, options).catch(wrongSignature);
        if (verified !== undefined) return verified.payload;
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  function isForUs({ aud }: JWTPayload, { audience: rule }: IssuerSettings): boolean {
    if (aud === undefined) return rule === "may-be-absent";
    return (typeof aud === "string" ? [aud] : aud).some((each) => canonicalUrl(each) === audience);
  }

  async function authenticate(token: string, issuer: Issuer): Promise<Authenticated | undefined> {
    const claims = await claimsOf(token, issuer);
    const { name, mcpScope } = issuer.settings;
    if (!isForUs(claims, issuer.settings) || !isSubject(claims.sub)) return undefined;
    const plain = claims as JsonObject; // it was JSON a moment ago
    const role = claimedRole(plain, issuer.settings);
    if (role === undefined) return undefined;
    if (mcpScope === "required" && !claimedScopes(plain).includes("mcp"))
      throw accountError("SCOPE_MISSING", "The token lacks the scope mcp.");
    const expiresAt = (claims.exp ?? 0) * 1_000; // required above
    return {
      principal: `${name}:${claims.sub}`,
      role,
      ...(issuer.scope === undefined ? {} : { scope: issuer.scope }),
      expiresAt,
      credential: credentialOf.issued(expiresAt),
    };
  }

  const all = [...issuers.values()];
  const sum = (read: (issuer: Issuer) => number): number => all.reduce((total, each) => total + read(each), 0);
  return {
    async authenticate(token, from) {
      const issuer = issuers.get(from);
      if (issuer === undefined) return undefined;
      try {
        return await authenticate(token, issuer);
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
    issuers: all.map(({ settings: { issuer } }) => issuer),
    document: async () => all[0]?.document.read(),
    get keyFetches() {
      return sum(({ keys }) => keys.fetches);
    },
    get keyFailures() {
      return sum(({ keys }) => keys.failures);
    },
  };
}

function scopeOf({ toolsets, pathPrefixes }: IssuerSettings): TokenScope {
  return { ...(toolsets && { toolsets }), ...(pathPrefixes && { pathPrefixes }) };
}

function wrongSignature(error: unknown): undefined {
  if (error instanceof errors.JWSSignatureVerificationFailed) return undefined;
  throw error;
}

/** It becomes part of a principal, which stands in logs and records. */
function isSubject(sub: string | undefined): sub is string {
  return sub !== undefined && sub.length > 0 && sub.length <= SUBJECT_CHARACTERS && /^[\x21-\x7E]+$/.test(sub);
}
