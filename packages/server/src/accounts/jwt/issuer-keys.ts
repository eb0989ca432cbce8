import { seconds, type Clock, type Log } from "@steading/kernel";
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import * as z from "zod";
import { accountError } from "../account-errors.ts";
import { fetchJson } from "./fetch-json.ts";
import { createRefreshed } from "./refreshed.ts";

/** The public keys of one issuer. */
export interface IssuerKeys {
  /** For jose. Throws ISSUER_UNREACHABLE when there are no keys to look at. */
  readonly find: JWTVerifyGetKey;
  readonly fetches: number;
  readonly failures: number;
}

const BYTES = 262_144;
const MOST_KEYS = 100;

const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(MOST_KEYS) });

export function createIssuerKeys({
  name,
  url,
  clock,
  log,
  onKeyGone,
}: {
  readonly name: string;
  /** Looked up each time: it may stand in the issuer's own document. */
  url(): Promise<string>;
  readonly clock: Clock;
  readonly log: Log;
  /** A key that vouched for somebody does so no longer. */
  onKeyGone(): void;
}): IssuerKeys {
  let known = new Set<string>();

  async function load(): Promise<JWTVerifyGetKey> {
    const document: unknown = await fetchJson({ url: await url(), clock, within: seconds(5), bytes: BYTES });
    const parsed = KeySet.parse(document);
    // A shared secret has no place in a public document, and would let its readers sign.
    const keys = parsed.keys.filter(({ kty }) => kty !== "oct");
    const present = new Set(keys.map((key) => JSON.stringify(key)));
    const gone = [...known].some((key) => !present.has(key));
    known = present;
    if (gone) onKeyGone();
    return createLocalJWKSet({ keys } as JSONWebKeySet); // jose checks each key when it is used
  }
  const keySet = createRefreshed({ what: `keys of ${name}`, load, clock, log });

  return {
    async find(header, token) {
      const present = await keySet.get();
      if (present === undefined)
        throw accountError("ISSUER_UNREACHABLE", `The keys of the issuer ${name} cannot be had at present.`);
      try {
        return await present(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        // It may have been signed with a key that is younger than our copy.
        const newer = await keySet.newer();
        if (newer === undefined) throw error;
        return newer(header, token);
      }
    },
    get fetches() {
      return keySet.fetches;
    },
    get failures() {
      return keySet.failures;
    },
  };
}
