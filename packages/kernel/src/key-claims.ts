import type { Outcome } from "./effect.ts";
import type { SteadingError } from "./steading-error.ts";

/** How the holder of a key ended, for those who waited for it. */
export type ClaimEnd =
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  /** It was on record already when it failed: everybody hears the same. */
  | { readonly kind: "error"; readonly error: SteadingError }
  /** It ended before it was on record, for reasons of its own (cancelled, not approved): the next one tries itself. */
  | { readonly kind: "released" };

export interface Claim {
  readonly argumentsHash: string;
  readonly ended: Promise<ClaimEnd>;
  end(how: ClaimEnd): void;
}

/** Which keys are being worked on in this process. A claim is taken in the same step as the look-up. */
export interface KeyClaims {
  get(keyId: string): Claim | undefined;
  take(keyId: string, argumentsHash: string): Claim;
  has(keyId: string): boolean;
}

export function createKeyClaims(): KeyClaims {
  const claims = new Map<string, Claim>();
  return {
    get: (keyId) => claims.get(keyId),
    has: (keyId) => claims.has(keyId),
    take(keyId, argumentsHash) {
      let resolve: (how: ClaimEnd) => void = () => {};
      const claim: Claim = {
        argumentsHash,
        ended: new Promise((done) => (resolve = done)),
        end(how) {
          claims.delete(keyId); // first, so that whoever wakes up finds the key free
          resolve(how);
        },
      };
      claims.set(keyId, claim);
      return claim;
    },
  };
}
