import { createHmac, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Claims = Readonly<Record<string, unknown>>;

/** An authorization server with one key, and everything that somebody without it would try. */
export interface TrialIssuer {
  readonly url: string;
  /** As it ought to be. */
  sign(claims: Claims): string;
  /** With a key that nobody published. */
  signForged(claims: Claims): string;
  /** With the published key, taken for a shared secret. */
  signConfused(claims: Claims): string;
  unsigned(claims: Claims): string;
  close(): Promise<void>;
}

export async function startTrialIssuer(): Promise<TrialIssuer> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const forged = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const jwks = JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), alg: "ES256", kid: "one" }] });
  const server = createServer((_req, res) => void res.setHeader("Content-Type", "application/json").end(jwks));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const es256 = (claims: Claims, key: KeyObject): string =>
    signed({ alg: "ES256", kid: "one" }, claims, (text) =>
      sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }),
    );
  return {
    url,
    sign: (claims) => es256(claims, privateKey),
    signForged: (claims) => es256(claims, forged),
    signConfused: (claims) =>
      signed({ alg: "HS256", kid: "one" }, claims, (text) =>
        createHmac("sha256", publicKey.export({ type: "spki", format: "pem" }))
          .update(text)
          .digest(),
      ),
    unsigned: (claims) => signed({ alg: "none", kid: "one" }, claims, () => Buffer.alloc(0)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function signed(header: object, claims: Claims, signature: (text: string) => Buffer): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${signature(text).toString("base64url")}`;
}
