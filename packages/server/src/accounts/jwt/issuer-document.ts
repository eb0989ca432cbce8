import { seconds, type Clock, type JsonObject, type Log } from "@steading/kernel";
import * as z from "zod";
import { fetchJson } from "./fetch-json.ts";
import { isProtected } from "./issuer-settings.ts";
import { createRefreshed } from "./refreshed.ts";

/** What an issuer says about itself (RFC 8414, or OpenID Connect Discovery where that is all it has). */
export interface IssuerDocument {
  /** Undefined: it cannot be had at present. */
  read(): Promise<JsonObject | undefined>;
  /** Throws when the document names no protected address. */
  jwksUrl(): Promise<string>;
}

const BYTES = 65_536;
const Document = z.looseObject({ issuer: z.string() });

export function createIssuerDocument({
  name,
  issuer,
  clock,
  log,
}: {
  readonly name: string;
  readonly issuer: string;
  readonly clock: Clock;
  readonly log: Log;
}): IssuerDocument {
  async function load(): Promise<JsonObject> {
    const problems: string[] = [];
    for (const url of documentUrls(issuer)) {
      try {
        const fetched = await fetchJson({ url, clock, within: seconds(5), bytes: BYTES });
        // RFC 8414, 3.3: a document of somebody else must not be used.
        if (Document.parse(fetched).issuer === issuer) return fetched as JsonObject; // it came as JSON
        problems.push("It is the document of another issuer.");
      } catch (error) {
        problems.push(error instanceof Error ? error.message : "unknown");
      }
    }
    throw new Error(problems.join(" "));
  }
  const document = createRefreshed({ what: `metadata of ${name}`, load, clock, log });

  return {
    read: () => document.get(),
    async jwksUrl() {
      const url = (await document.get())?.["jwks_uri"];
      if (typeof url !== "string" || !isProtected(url)) throw new Error("The metadata names no protected jwks_uri.");
      return url;
    },
  };
}

function documentUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/+$/, "");
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}
