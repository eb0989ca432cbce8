import { createHmac } from "node:crypto";
import { hours } from "@steading/kernel";
import fc from "fast-check";
import { generateKeyPair, SignJWT } from "jose";
import { expect, test } from "vitest";
import { createTrialAccounts, LOCAL, PASSWORD, SECRET } from "../../testing/trial-accounts.ts";
import { createLoginJwt } from "./login-jwt.ts";

const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** A token with any header and any claims, signed with HMAC over SHA-256 as somebody with the key would. */
function forge(header: unknown, claims: unknown, key: Uint8Array = SECRET): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

async function setUp() {
  const trial = createTrialAccounts();
  await trial.changes.create(LOCAL, { name: "anna", role: "operator", password: PASSWORD });
  const { token } = await trial.accounts.login({ name: "anna", password: PASSWORD, address: "192.0.2.1" });
  const [header = "", payload = "", signature = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
  return { ...trial, token, header, payload, signature, claims };
}

const HS256 = { alg: "HS256", typ: "JWT" };

// @proves mcp.auth.algorithms-fixed mcp.auth.token-bad
test("no token that this hub did not sign with HS256 opens anything", async () => {
  const { accounts, token, header, payload, signature, claims } = await setUp();
  const { privateKey } = await generateKeyPair("RS256");
  const forged = [
    `${encode({ alg: "none" })}.${payload}.`,
    `${encode({ alg: "None", typ: "JWT" })}.${payload}.${signature}`,
    `${encode({ alg: "none" })}.${payload}.${signature}`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    `${header}.${encode({ ...claims, userId: 2 })}.${signature}`,
    `${header}.${encode({ ...claims, role: "admin" })}.${signature}`,
    forge(HS256, claims, new TextEncoder().encode("another hub's secret of 32 bytes!")),
    forge(HS256, claims, new Uint8Array(32)),
    forge({ alg: "HS512" }, claims),
    forge({ alg: "HS384" }, claims),
    forge({ alg: "RS256" }, claims),
    forge({ alg: "HS256", crit: ["evil"], evil: true }, claims),
    forge({ alg: "HS256", b64: false, crit: ["b64"] }, claims),
    await new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).sign(privateKey),
    `${token}.${signature}`,
    ` ${token}`,
    token.slice(0, -1),
    `${token}A`,
  ];
  for (const each of forged) expect(await accounts.authenticate(each)).toBeUndefined();
  expect(await accounts.authenticate(token)).toBeDefined();
});

// @proves mcp.auth.farm-login-token mcp.auth.token-expired mcp.auth.token-without-exp
test("even a well signed token counts only while its login stands, in its own time, and with no rights of its own", async () => {
  const { accounts, clock, claims } = await setUp();
  const now = Math.floor(clock.now() / 1_000);
  expect(await accounts.authenticate(forge(HS256, { ...claims, role: "admin", scope: "admin" }))).toMatchObject({
    role: "operator",
  });
  const refused = [
    { ...claims, jti: "8c1f6a3e-0000-4000-8000-000000000000" },
    { ...claims, userId: 2 },
    { ...claims, userId: "1" },
    { ...claims, userId: 1.5 },
    { ...claims, userId: { toString: "1" } },
    { ...claims, exp: now },
    { ...claims, exp: now - 3_600 },
    { ...claims, exp: undefined },
    { ...claims, exp: "tomorrow" },
    { ...claims, iat: undefined },
    { ...claims, jti: undefined },
    { ...claims, nbf: now + 60 },
    { ...claims, iss: "https://login.example" },
    [],
    "text",
    null,
  ];
  for (const each of refused) expect(await accounts.authenticate(forge(HS256, each))).toBeUndefined();
  expect(await accounts.authenticate(forge(HS256, claims))).toBeDefined();
});

test("a token that claims to last longer ends with its login", async () => {
  const { accounts, clock, claims } = await setUp();
  const longer = forge(HS256, { ...claims, exp: Number(claims["exp"]) + 999_999 });
  expect(await accounts.authenticate(longer)).toBeDefined();
  await clock.advance(hours(24));
  expect(await accounts.authenticate(longer)).toBeUndefined();
});

test("nothing that is thrown at it makes the verifier fail, and nothing gets in", async () => {
  const { accounts, header, payload, signature } = await setUp();
  const part = fc.oneof(
    fc.constantFrom(header, payload, signature, "", "e30", encode({ iss: 7 }), encode({ iss: "x" }), encode(null)),
    fc.string({ maxLength: 40 }),
    fc.json().map((text) => Buffer.from(text).toString("base64url")),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
      const token = parts.join(".");
      fc.pre(token !== `${header}.${payload}.${signature}`);
      expect(await accounts.authenticate(token)).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});

test("a secret of less than 32 bytes signs nothing", () => {
  expect(() => createLoginJwt({ secret: new Uint8Array(31), clock: { now: () => 0 } })).toThrow(RangeError);
});
