import { createManualClock, hours, minutes, seconds, silentLog } from "@steading/kernel";
import { generateKeyPair } from "jose";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTrialIssuer, type TrialIssuer } from "../../testing/trial-issuer.ts";
import { createForeignTokens } from "./foreign-tokens.ts";
import { IssuerSettings } from "./issuer-settings.ts";

const AUDIENCE = "https://hub.example/mcp";
let issuer: TrialIssuer;
beforeEach(async () => void (issuer = await startTrialIssuer()));
afterEach(() => issuer.close());

function setUp(settings: Partial<IssuerSettings> = {}) {
  const clock = createManualClock();
  let keysGone = 0;
  const tokens = createForeignTokens({
    issuers: [IssuerSettings.parse({ name: "club", issuer: issuer.url, jwksUrl: issuer.jwksUrl, ...settings })],
    audience: AUDIENCE,
    placeToolsets: ["subjects"],
    clock,
    log: silentLog,
    onKeyGone: () => keysGone++,
  });
  const now = (): number => Math.floor(clock.now() / 1_000);
  const claims = (over: Record<string, unknown> = {}) => ({
    iss: issuer.url,
    sub: "u-17",
    aud: AUDIENCE,
    exp: now() + 3_600,
    scope: "mcp",
    ...over,
  });
  const authenticate = async (over: Record<string, unknown> = {}) =>
    tokens.authenticate(await issuer.sign(claims(over)), issuer.url);
  return { clock, tokens, now, claims, authenticate, keysGone: () => keysGone };
}

test("a token that a configured issuer signed for this hub stands for its subject, who may look", async () => {
  const { authenticate, now } = setUp();
  expect(await authenticate()).toEqual({
    principal: "club:u-17",
    role: "viewer",
    expiresAt: (now() + 3_600) * 1_000,
    credential: `issuer:${(now() + 3_600) * 1_000}`,
  });
});

// @proves mcp.auth.token-foreign-audience mcp.auth.issuer-checked mcp.auth.token-without-exp
test.each([
  ["another audience", { aud: "https://other.example/mcp" }],
  ["an audience that only begins like ours", { aud: `${AUDIENCE}2` }],
  ["an audience below ours", { aud: `${AUDIENCE}/essential` }],
  ["no audience", { aud: undefined }],
  ["an empty list of audiences", { aud: [] }],
  ["a time that is over", { exp: Date.UTC(2025, 11, 31) / 1_000 }],
  ["no end", { exp: undefined }],
  ["a beginning that lies ahead", { nbf: Date.UTC(2026, 0, 2) / 1_000 }],
  ["no subject", { sub: undefined }],
  ["an empty subject", { sub: "" }],
  ["a subject that would break a log line", { sub: "u\n17" }],
  ["a subject of endless length", { sub: "u".repeat(256) }],
  ["another issuer inside", { iss: "https://evil.example" }],
])("a token with %s is refused", async (_what, over) => {
  expect(await setUp().authenticate(over)).toBeUndefined();
});

// @proves mcp.auth.audience-canonical
test.each([AUDIENCE, `${AUDIENCE}/`, `${AUDIENCE}#here`, "https://HUB.example/mcp", ["https://a.example", AUDIENCE]])(
  "the audience %s is ours",
  async (aud) => {
    expect(await setUp().authenticate({ aud })).toBeDefined();
  },
);

// @proves mcp.auth.issuer-checked
test("an issuer that nobody configured vouches for nobody, whatever it signs", async () => {
  const { tokens, claims } = setUp();
  const other = await startTrialIssuer();
  const token = await other.sign({ ...claims(), iss: other.url });
  expect(await tokens.authenticate(token, other.url)).toBeUndefined();
  expect(other.asked.size).toBe(0);
  await other.close();
});

test("a token signed with somebody else's key is refused, also under the name of ours", async () => {
  const { tokens, claims } = setUp();
  const { privateKey } = await generateKeyPair("ES256");
  const token = await issuer.sign(claims(), { key: privateKey });
  expect(await tokens.authenticate(token, issuer.url)).toBeUndefined();
});

// @proves mcp.auth.algorithms-fixed
test("only the algorithms of the list count", async () => {
  const { tokens, claims, authenticate } = setUp({ algorithms: ["ES256"] });
  expect(await authenticate()).toBeDefined();
  await issuer.rotate({ alg: "RS256" });
  expect(await authenticate()).toBeUndefined();
  const bare = [{ alg: "none" }, claims()].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  expect(await tokens.authenticate(`${bare.join(".")}.`, issuer.url)).toBeUndefined();
});

test.each(["RS256", "PS256", "ES256", "EdDSA"])("a token signed with %s is taken", async (alg) => {
  await issuer.rotate({ alg });
  expect(await setUp().authenticate()).toMatchObject({ principal: "club:u-17" });
});

// @proves mcp.auth.scope-missing
test.each([{ scope: undefined }, { scope: "openid mcps" }, { scope: "", scp: ["other"] }])(
  "a genuine token without the scope mcp (%j) is told apart from a bad one",
  async (over) => {
    await expect(setUp().authenticate(over)).rejects.toMatchObject({ code: "SCOPE_MISSING" });
  },
);

test.each([{ scope: "openid mcp" }, { scope: undefined, scp: ["mcp"] }, { scope: undefined, scp: "a mcp" }])(
  "the scope is found in %j",
  async (over) => {
    expect(await setUp().authenticate(over)).toBeDefined();
  },
);

// @proves mcp.auth.audience-exception-per-issuer
test("an issuer that is excepted by name may leave the audience out, never name another, and gives viewers", async () => {
  const { authenticate } = setUp({ audience: "may-be-absent", mcpScope: "not-asked" });
  expect(await authenticate({ aud: undefined, scope: undefined })).toMatchObject({ role: "viewer" });
  expect(await authenticate({ aud: "https://other.example" })).toBeUndefined();
  const generous = setUp({ audience: "may-be-absent", otherwise: "operator" });
  expect(await generous.authenticate({ aud: undefined })).toMatchObject({ role: "operator" });
});

test.each([
  [{ roles: ["staff", "hub-admins"] }, "admin"],
  [{ roles: "staff" }, "operator"],
  [{ roles: ["guests"] }, "viewer"],
  [{}, "viewer"],
  [{ roles: { staff: true } }, "viewer"],
  [{ roles: [["hub-admins"]] }, "viewer"],
  [{ roles: ["__proto__", "constructor", "toString"] }, "viewer"],
  [{ role: "admin" }, "viewer"],
])("the claims %j make a %s", async (over, role) => {
  const { authenticate } = setUp({ roles: { staff: "operator", "hub-admins": "admin" } });
  expect(await authenticate(over)).toMatchObject({ role });
});

test("the claim may lie inside another, and those without a role may be turned away", async () => {
  const { authenticate } = setUp({ roleClaim: "realm_access.roles", roles: { staff: "operator" }, otherwise: "none" });
  expect(await authenticate({ realm_access: { roles: ["staff"] } })).toMatchObject({ role: "operator" });
  expect(await authenticate({ "realm_access.roles": ["staff"] })).toMatchObject({ role: "operator" });
  expect(await authenticate({ realm_access: { roles: ["guests"] } })).toBeUndefined();
});

// @proves mcp.auth.roles
test("the people of an issuer may be kept to some tools and places", async () => {
  const { authenticate } = setUp({ roles: { staff: "operator" }, pathPrefixes: ["/farm/barn"] });
  expect(await authenticate({ roles: ["staff"] })).toMatchObject({
    role: "operator",
    scope: { toolsets: ["subjects"], pathPrefixes: ["/farm/barn"] },
  });
});

test("keys are fetched once, and not again for a wave of tokens with made-up keys", async () => {
  const { tokens, claims, authenticate } = setUp();
  await Promise.all(Array.from({ length: 10 }, () => authenticate()));
  expect(issuer.asked.get("/jwks")).toBe(1);
  for (let i = 0; i < 20; i++) {
    const token = await issuer.sign(claims(), { header: { alg: "ES256", kid: `made-up-${i}` } });
    expect(await tokens.authenticate(token, issuer.url)).toBeUndefined();
  }
  expect(issuer.asked.get("/jwks")).toBe(1);
});

test("a key that is younger than our copy is found after a short while", async () => {
  const { clock, authenticate } = setUp();
  await authenticate();
  await issuer.rotate({ keep: true });
  expect(await authenticate()).toBeUndefined();
  await clock.advance(seconds(30));
  expect(await authenticate()).toBeDefined();
});

// @proves mcp.auth.cache-dropped-on-key-change
test("when a key is gone everybody is told to forget whom it vouched for", async () => {
  const { clock, tokens, claims, authenticate, keysGone } = setUp();
  const old = await issuer.sign(claims());
  expect(await tokens.authenticate(old, issuer.url)).toBeDefined();
  await issuer.rotate();
  await clock.advance(minutes(10));
  expect(await authenticate()).toBeDefined();
  expect(keysGone()).toBe(1);
  expect(await tokens.authenticate(old, issuer.url)).toBeUndefined();
});

test.each(["down", "huge", "elsewhere", "nonsense"] as const)(
  "an issuer whose keys are %s is out of reach, which is not the token's fault, and is asked again later",
  async (mood) => {
    const { clock, tokens, authenticate } = setUp();
    issuer.mood = mood;
    await expect(authenticate()).rejects.toMatchObject({ code: "ISSUER_UNREACHABLE", retryable: true });
    for (let i = 0; i < 10; i++) await expect(authenticate()).rejects.toMatchObject({ code: "ISSUER_UNREACHABLE" });
    expect(issuer.asked.get("/jwks")).toBe(1);
    expect(tokens).toMatchObject({ keyFetches: 1, keyFailures: 1 });
    issuer.mood = "well";
    await clock.advance(seconds(30));
    expect(await authenticate()).toBeDefined();
  },
);

test("keys that were fetched are used while their issuer is down, for a day and no longer", async () => {
  const { clock, authenticate } = setUp();
  await authenticate();
  issuer.mood = "down";
  await clock.advance(hours(23));
  expect(await authenticate()).toBeDefined();
  await clock.advance(hours(1));
  await expect(authenticate()).rejects.toMatchObject({ code: "ISSUER_UNREACHABLE" });
});

test("keys are found through the issuer's own document, and only its own", async () => {
  const { jwksUrl: _none, ...settings } = IssuerSettings.parse({
    name: "club",
    issuer: issuer.url,
    jwksUrl: issuer.jwksUrl,
  });
  const clock = createManualClock();
  const shared = { audience: AUDIENCE, placeToolsets: [], clock, log: silentLog, onKeyGone() {} };
  const tokens = createForeignTokens({ issuers: [settings], ...shared });
  const token = (url: string) =>
    issuer.sign({ iss: url, sub: "u", aud: AUDIENCE, scope: "mcp", exp: clock.now() / 1_000 + 60 });
  expect(await tokens.authenticate(await token(issuer.url), issuer.url)).toBeDefined();
  expect(await tokens.document()).toMatchObject({ issuer: issuer.url });
  const lied = createForeignTokens({ issuers: [{ ...settings, issuer: `${issuer.url}/` }], ...shared });
  await expect(lied.authenticate(await token(`${issuer.url}/`), `${issuer.url}/`)).rejects.toMatchObject({
    code: "ISSUER_UNREACHABLE",
  });
});

test("several keys without names are tried one after the other", async () => {
  await issuer.rotate({ kid: false });
  await issuer.rotate({ kid: false, keep: true });
  expect(await setUp().authenticate()).toBeDefined();
});

// @proves mcp.auth.issuer-https
test.each([
  { issuer: "http://login.example" },
  { issuer: "http://localhost.evil.example" },
  { issuer: "https://user:pass@login.example" },
  { issuer: "ftp://localhost" },
  { issuer: "https://login.example", jwksUrl: "http://login.example/jwks" },
])("an issuer without https (%j) is refused unless it is on localhost", (settings) => {
  expect(() => setUp(settings)).toThrow(expect.objectContaining({ code: "ISSUER_REFUSED" }));
});

test("two issuers of one name or address are refused", () => {
  const one = IssuerSettings.parse({ name: "club", issuer: "https://a.example" });
  const shared = {
    audience: AUDIENCE,
    placeToolsets: [],
    clock: createManualClock(),
    log: silentLog,
    onKeyGone() {},
  };
  for (const other of [
    { ...one, issuer: "https://b.example" },
    { ...one, name: "other" },
  ])
    expect(() => createForeignTokens({ issuers: [one, other], ...shared })).toThrow(
      expect.objectContaining({ code: "ISSUER_REFUSED" }),
    );
});
