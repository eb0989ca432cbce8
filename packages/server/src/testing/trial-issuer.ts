import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from "jose";

export type IssuerMood = "well" | "down" | "huge" | "elsewhere" | "nonsense";

/** An authorization server that signs whatever a test wants, and can be told to misbehave. */
export interface TrialIssuer {
  readonly url: string;
  readonly jwksUrl: string;
  mood: IssuerMood;
  /** How often each path was asked for. */
  readonly asked: ReadonlyMap<string, number>;
  /** Signs with the present key. Claims set to undefined are left out. */
  sign(claims: Record<string, unknown>, over?: { readonly key?: CryptoKey; readonly header?: object }): Promise<string>;
  /** From here on another key signs, and the one before is gone unless it is kept. */
  rotate(options?: { readonly keep?: boolean; readonly alg?: string; readonly kid?: boolean }): Promise<void>;
  close(): Promise<void>;
}

interface SigningKey {
  readonly alg: string;
  readonly kid: string | undefined;
  readonly private: CryptoKey;
  readonly public: JWK;
}

export async function startTrialIssuer(path = ""): Promise<TrialIssuer> {
  const asked = new Map<string, number>();
  let made = 0;
  let keys: SigningKey[] = [await makeKey("ES256", true)];

  async function makeKey(alg: string, named: boolean): Promise<SigningKey> {
    const pair = await generateKeyPair(alg, { extractable: true });
    const kid = named ? `key-${++made}` : undefined;
    const shown = await exportJWK(pair.publicKey);
    return { alg, kid, private: pair.privateKey, public: { ...shown, alg, ...(kid === undefined ? {} : { kid }) } };
  }

  function answer(res: ServerResponse, target: string): void {
    if (issuer.mood === "down") return void res.destroy();
    if (issuer.mood === "elsewhere") return void res.writeHead(302, { Location: "http://127.0.0.1:9/" }).end();
    res.setHeader("Content-Type", "application/json");
    if (issuer.mood === "nonsense") return void res.end("<html>");
    if (issuer.mood === "huge") return void res.end(JSON.stringify({ keys: [], filler: "x".repeat(1_000_000) }));
    if (target === `/.well-known/oauth-authorization-server${path}`)
      return void res.end(JSON.stringify({ issuer: issuer.url, jwks_uri: issuer.jwksUrl, token_endpoint: "x" }));
    if (target === "/jwks") return void res.end(JSON.stringify({ keys: keys.map((key) => key.public) }));
    res.writeHead(404).end("{}");
  }

  const server = createServer((req, res) => {
    const target = req.url ?? "/";
    asked.set(target, (asked.get(target) ?? 0) + 1);
    answer(res, target);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;

  const issuer: TrialIssuer = {
    url: `${origin}${path}`,
    jwksUrl: `${origin}/jwks`,
    mood: "well",
    asked,
    async sign(claims, { key, header } = {}) {
      const current = keys.at(-1);
      if (current === undefined) throw new Error("no key");
      const given = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
      return new SignJWT(given)
        .setProtectedHeader({
          alg: current.alg,
          ...(current.kid === undefined ? {} : { kid: current.kid }),
          ...header,
        })
        .sign(key ?? current.private);
    },
    async rotate({ keep = false, alg = "ES256", kid = true } = {}) {
      keys = [...(keep ? keys : []), await makeKey(alg, kid)];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return issuer;
}
