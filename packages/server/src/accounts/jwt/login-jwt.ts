import { createSecretKey } from "node:crypto";
import type { Clock } from "@steading/kernel";
import { errors, jwtVerify, SignJWT } from "jose";
import * as z from "zod";

/** Says which login a token belongs to, and nothing about rights: those are the account's, at the moment of asking. */
export interface LoginJwt {
  sign(login: {
    readonly userId: number;
    readonly id: string;
    readonly at: number;
    readonly expiresAt: number;
  }): Promise<string>;
  /** Undefined for whatever this hub did not sign, or whose time is over or not yet come. */
  verify(token: string): Promise<{ readonly userId: number; readonly id: string } | undefined>;
}

const Claims = z.object({ userId: z.int().positive(), jti: z.string().min(1), iat: z.number(), exp: z.number() });

export function createLoginJwt({
  secret,
  clock,
}: {
  readonly secret: Uint8Array;
  readonly clock: Pick<Clock, "now">;
}): LoginJwt {
  if (secret.length < 32) throw new RangeError("The signing secret needs at least 32 bytes.");
  const key = createSecretKey(secret);
  return {
    sign: ({ userId, id, at, expiresAt }) =>
      new SignJWT({ userId })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setJti(id)
        .setIssuedAt(Math.floor(at / 1_000))
        .setExpirationTime(Math.floor(expiresAt / 1_000))
        .sign(key),
    async verify(token) {
      try {
        // One algorithm, whatever the token's header says.
        const { payload } = await jwtVerify(token, key, {
          algorithms: ["HS256"],
          currentDate: new Date(clock.now()),
          requiredClaims: ["exp", "iat", "jti"],
        });
        const claims = Claims.safeParse(payload).data;
        return claims === undefined ? undefined : { userId: claims.userId, id: claims.jti };
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}
