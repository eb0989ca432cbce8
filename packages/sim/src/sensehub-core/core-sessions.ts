import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import type { CoreUser } from "./core-rows.ts";
import { isoTime } from "./core-times.ts";

const EIGHT_HOURS_MS = 8 * 3_600_000;

export interface CoreSession {
  readonly user: CoreUser;
  readonly token: string;
  readonly expiresAt: string;
}

export interface CoreSessions {
  open(user: CoreUser): CoreSession;
  /** Undefined: signature, row or time says no. */
  find(token: string): CoreSession | undefined;
  end(token: string): void;
  /** Every session is over, as after eight hours; the tokens themselves look as good as ever. */
  expireAll(): void;
}

/** Tokens as the reference makes them: HS256, `{ userId, jti, iat, exp }`, and a row without which they are worth nothing. */
export function createCoreSessions({
  secret,
  now,
  limit = 10_000,
}: {
  readonly secret: string;
  readonly now: () => number;
  readonly limit?: number;
}): CoreSessions {
  const rows = new Map<string, { readonly user: CoreUser; readonly until: number }>();
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest();

  return {
    open(user) {
      const until = now() + EIGHT_HOURS_MS;
      const iat = Math.floor(now() / 1_000);
      const payload = { userId: user.id, jti: randomUUID(), iat, exp: iat + EIGHT_HOURS_MS / 1_000 };
      const text = [{ alg: "HS256", typ: "JWT" }, payload].map(encode).join(".");
      const token = `${text}.${sign(text).toString("base64url")}`;
      if (rows.size >= limit) rows.delete([...rows.keys()][0] ?? "");
      rows.set(token, { user, until });
      return { user, token, expiresAt: isoTime(until) };
    },
    find(token) {
      const row = rows.get(token);
      const dot = token.lastIndexOf(".");
      if (!row || row.until <= now() || dot < 0) return undefined;
      const given = Buffer.from(token.slice(dot + 1), "base64url");
      const wanted = sign(token.slice(0, dot));
      const isGenuine = given.length === wanted.length && timingSafeEqual(given, wanted);
      return isGenuine ? { user: row.user, token, expiresAt: isoTime(row.until) } : undefined;
    },
    end: (token) => void rows.delete(token),
    expireAll: () => rows.clear(),
  };
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
