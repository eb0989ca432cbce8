import { createHmac } from "node:crypto";
import { hashRaw } from "@node-rs/argon2";
import { ARGON2ID, COST } from "./argon2-hash.ts";
import type { HashPlaces } from "./hash-places.ts";
import { fits } from "./password-rules.ts";

/** Tells whether two requests carry the same secrets, without keeping any of them. */
export type SecretFingerprint = (secrets: readonly string[]) => Promise<string>;

/**
 * As slow as the hash of a password and salted with a key of this hub: whoever steals what is made of it gains nothing
 * over the hashes themselves. Equal for equal secrets, which a hash with a salt of its own would not be.
 */
export function createSecretFingerprint({
  key,
  places,
  passwordBytes,
}: {
  readonly key: Uint8Array;
  readonly places: HashPlaces;
  readonly passwordBytes: number;
}): SecretFingerprint {
  const salt = createHmac("sha256", key).update("fingerprint of secrets").digest().subarray(0, 16);
  return async (secrets) => {
    // Nobody may order work by the megabyte; the change itself refuses such a password.
    if (!secrets.every((secret) => fits(secret, passwordBytes))) return "too long";
    const text = JSON.stringify(secrets.map((secret) => secret.normalize("NFKC")));
    const raw = await places.run(() => hashRaw(text, { ...COST, algorithm: ARGON2ID, salt }));
    return raw.toString("base64url");
  };
}
