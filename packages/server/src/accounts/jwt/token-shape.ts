import { decodeJwt, errors } from "jose";

/** Longer than any honest token; a request's headers could not carry more either. */
const LONGEST = 16_384;

/** Who a JWT says it comes from, unverified: good for choosing the keys and for nothing else. */
export type TokenShape =
  | { readonly kind: "opaque" }
  | { readonly kind: "own-jwt" }
  | { readonly kind: "foreign-jwt"; readonly issuer: string };

export function tokenShape(token: string): TokenShape {
  if (token.length > LONGEST || token.split(".").length !== 3) return { kind: "opaque" };
  try {
    const { iss } = decodeJwt(token);
    if (iss === undefined) return { kind: "own-jwt" };
    return typeof iss === "string" ? { kind: "foreign-jwt", issuer: iss } : { kind: "opaque" };
  } catch (error) {
    if (error instanceof errors.JOSEError) return { kind: "opaque" };
    throw error;
  }
}
