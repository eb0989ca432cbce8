import { ROLES } from "@steading/kernel";
import * as z from "zod";
import { accountError } from "../account-errors.ts";

/** Public keys only: with a shared secret whoever can check a token can also make one. */
const ISSUER_ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"] as const;

/** Somebody else who vouches for callers: an OAuth authorization server. */
export const IssuerSettings = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,31}$/)
      .meta({ description: "Short name; its callers are called <name>:<subject>." }),
    issuer: z
      .url()
      .meta({ description: "Exactly as it stands in the `iss` of its tokens; https except on localhost." }),
    jwksUrl: z.exactOptional(z.url()).meta({ description: "Its public keys. Found in its metadata when left out." }),
    algorithms: z
      .array(z.enum(ISSUER_ALGORITHMS))
      .min(1)
      .default([...ISSUER_ALGORITHMS]),
    audience: z
      .enum(["required", "may-be-absent"])
      .default("required")
      .meta({ description: "may-be-absent takes tokens without an audience. A foreign audience is refused always." }),
    mcpScope: z
      .enum(["required", "not-asked"])
      .default("required")
      .meta({ description: "Whether its tokens must carry the scope mcp." }),
    roleClaim: z
      .string()
      .min(1)
      .max(200)
      .default("roles")
      .meta({ description: "The claim that holds roles or groups; dots lead into objects." }),
    roles: z
      .record(z.string().max(200), z.enum(ROLES))
      .default({})
      .meta({ description: "Which of the claim's values means which role. The highest counts." }),
    otherwise: z
      .enum([...ROLES, "none"])
      .default("viewer")
      .meta({ description: "The role of callers without such a value; none refuses them." }),
    toolsets: z.exactOptional(z.array(z.string().max(64)).max(64)).meta({ description: "Only these toolsets." }),
    pathPrefixes: z.exactOptional(z.array(z.string()).max(32)).meta({ description: "Only these places of the graph." }),
  })
  .meta({ title: "issuer", description: "An OAuth authorization server whose tokens are accepted." });
export type IssuerSettings = z.infer<typeof IssuerSettings>;

/** Throws when its keys or documents would travel unprotected. */
export function checkIssuer({ name, issuer, jwksUrl }: IssuerSettings): void {
  for (const [setting, url] of [
    ["issuer", issuer],
    ["jwksUrl", jwksUrl],
  ] as const) {
    if (url !== undefined && !isProtected(url))
      throw accountError("ISSUER_REFUSED", `The ${setting} of ${name} needs https; only localhost may do without.`);
  }
}

export function isProtected(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "") return false;
  const local = url.hostname === "localhost" || url.hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(url.hostname);
  return url.protocol === "https:" || (url.protocol === "http:" && local);
}

/** The one spelling of an address: no fragment, no trailing slash, host in lower case. Undefined: not an address. */
export function canonicalUrl(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  url.hash = "";
  return url.href.replace(/\/+$/, "");
}
