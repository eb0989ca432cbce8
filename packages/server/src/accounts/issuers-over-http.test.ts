import { seconds } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pick, post, send } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { createTrialAccounts } from "../testing/trial-accounts.ts";
import { startTrialIssuer, type TrialIssuer } from "../testing/trial-issuer.ts";
import { IssuerSettings } from "./jwt/issuer-settings.ts";

let issuer: TrialIssuer;
let shell: TestShell | undefined;
beforeEach(async () => void (issuer = await startTrialIssuer("/realms/club")));
afterEach(async () => {
  await shell?.close();
  await issuer.close();
});

const PUBLIC = "https://hub.example";

async function setUp(settings: Partial<IssuerSettings> = {}) {
  const issuers = [
    IssuerSettings.parse({ name: "club", issuer: issuer.url, roles: { staff: "operator" }, ...settings }),
  ];
  const trial = createTrialAccounts({ publicUrl: `${PUBLIC}/`, issuers });
  const { accounts, clock } = trial;
  const running = await startShell({
    authenticator: accounts,
    authorization: accounts.authorization,
    clock,
    allowedHosts: ["hub.example"],
  });
  shell = running;
  const sign = (over: Record<string, unknown> = {}) =>
    issuer.sign({
      iss: issuer.url,
      sub: "u-17",
      aud: `${PUBLIC}/mcp`,
      scope: "mcp",
      exp: clock.now() / 1_000 + 3_600,
      ...over,
    });
  const whoAmI = async (over: Record<string, unknown> = {}, path = "/mcp") =>
    post(`${running.url}${path}`, "tools/call", { name: "who.am.i" }, { token: await sign(over) });
  const get = (path: string, method = "GET") => send(`${running.url}${path}`, undefined, {}, method);
  return { ...trial, shell: running, whoAmI, get };
}

test("a caller of a configured issuer comes in under its own name, as viewer unless its claims say more", async () => {
  const { whoAmI } = await setUp();
  expect(pick((await whoAmI()).body, "result", "structuredContent")).toMatchObject({
    principal: "club:u-17",
    role: "viewer",
  });
  expect(pick((await whoAmI({ roles: ["staff"] })).body, "result", "structuredContent")).toMatchObject({
    role: "operator",
  });
});

// @proves mcp.auth.audience-shared
test("one audience is good for every address below /mcp", async () => {
  const { whoAmI, shell: at } = await setUp();
  expect(await whoAmI({}, "/mcp")).toMatchObject({ status: 200 });
  expect(await whoAmI({}, "/mcp?names=safe")).toMatchObject({ status: 200 });
  const exp = at.clock.now() / 1_000 + 3_600;
  const token = await issuer.sign({ iss: issuer.url, sub: "u-17", aud: `${PUBLIC}/mcp`, scope: "mcp", exp });
  expect(await post(`${at.url}/mcp/works`, "tools/list", {}, { token })).toMatchObject({ status: 200 });
  expect(await post(`${at.url}/mcp/essential`, "tools/list", {}, { token })).toMatchObject({ status: 200 });
});

// @proves mcp.auth.token-foreign-audience mcp.auth.no-verifier-internals
test.each([{ aud: "https://other.example/mcp" }, { exp: 1 }, { nbf: 9_999_999_999 }, { iss: "https://evil.example" }])(
  "a token with %j is answered as any unknown one, in our own words",
  async (over) => {
    const { whoAmI } = await setUp();
    expect(await whoAmI(over)).toMatchObject({
      status: 401,
      body: { error: "invalid_token", error_description: "The token is unknown, expired or revoked" },
    });
  },
);

// @proves mcp.auth.scope-missing mcp.auth.challenge-header mcp.auth.body-oauth-json
test("a genuine token without the scope mcp is answered 403 with a challenge that names it", async () => {
  const { whoAmI } = await setUp();
  const { status, body, headers } = await whoAmI({ scope: "openid" });
  expect(status).toBe(403);
  expect(body).toEqual({ error: "insufficient_scope", error_description: "The token lacks the scope mcp" });
  expect(headers.get("www-authenticate")).toBe(
    'Bearer error="insufficient_scope", error_description="The token lacks the scope mcp", scope="mcp", ' +
      `resource_metadata="${PUBLIC}/.well-known/oauth-protected-resource/mcp"`,
  );
});

test("while the keys cannot be had the answer is 503 and not that the token is bad, and own tokens go on", async () => {
  const { accounts, clock, whoAmI, shell: at } = await setUp();
  const first = await accounts.bootstrap();
  issuer.mood = "down";
  const { status, body, headers } = await whoAmI();
  expect(status).toBe(503);
  expect(body).toMatchObject({ error: "temporarily_unavailable" });
  expect(headers.get("retry-after")).toBe("30");
  expect(await post(at.mcp, "tools/list", {}, { token: first?.token ?? "" })).toMatchObject({ status: 200 });
  issuer.mood = "well";
  await clock.advance(seconds(30));
  expect(await whoAmI()).toMatchObject({ status: 200 });
});

// @proves mcp.endpoint.protected-resource-document mcp.auth.metadata-fields mcp.auth.metadata-bare-path
test.each(["", "/mcp", "/mcp/essential", "/mcp/works"])(
  "the resource document at the well-known address%s names the resource, the issuers, the scope and the hub",
  async (path) => {
    const { get } = await setUp();
    expect(await get(`/.well-known/oauth-protected-resource${path}`)).toMatchObject({
      status: 200,
      body: {
        resource: `${PUBLIC}/mcp`,
        authorization_servers: [issuer.url],
        scopes_supported: ["mcp"],
        bearer_methods_supported: ["header"],
        resource_name: "test-shell",
      },
    });
  },
);

test("there is no resource document for what is no resource", async () => {
  const { get } = await setUp();
  expect(await get("/.well-known/oauth-protected-resource/elsewhere")).toMatchObject({ status: 404 });
  expect(await get("/.well-known/oauth-protected-resource/mcp", "DELETE")).toMatchObject({ status: 405 });
});

// @proves mcp.endpoint.authorization-server-mirror
test("the issuer's document is mirrored, kept, and honest about not being there", async () => {
  const { clock, get } = await setUp();
  const path = "/.well-known/oauth-authorization-server";
  issuer.mood = "down";
  const absent = await get(path);
  expect(absent).toMatchObject({ status: 503, body: { error: "temporarily_unavailable" } });
  expect(absent.headers.get("retry-after")).toBe("30");
  issuer.mood = "well";
  await clock.advance(seconds(30));
  expect(await get(path)).toMatchObject({ status: 200, body: { issuer: issuer.url, jwks_uri: issuer.jwksUrl } });
  await get(path);
  expect(issuer.asked.get(`${path}/realms/club`)).toBe(2);
  expect(await get(path, "POST")).toMatchObject({ status: 405 });
});

test("a hub without issuers names none and mirrors nothing", async () => {
  const { accounts, clock } = createTrialAccounts();
  shell = await startShell({ authenticator: accounts, authorization: accounts.authorization, clock });
  const { body } = await send(`${shell.url}/.well-known/oauth-protected-resource/mcp`, undefined, {}, "GET");
  expect(body).toEqual({
    resource: `${shell.url}/mcp`,
    scopes_supported: ["mcp"],
    bearer_methods_supported: ["header"],
    resource_name: "test-shell",
  });
  expect(await send(`${shell.url}/.well-known/oauth-authorization-server`, undefined, {}, "GET")).toMatchObject({
    status: 404,
  });
});

test("issuers need to know what their tokens are for", () => {
  const issuers = [IssuerSettings.parse({ name: "club", issuer: "https://login.example" })];
  expect(() => createTrialAccounts({ issuers })).toThrow(expect.objectContaining({ code: "ISSUER_REFUSED" }));
  expect(() => createTrialAccounts({ issuers, publicUrl: "hub.example" })).toThrow(
    expect.objectContaining({ code: "ISSUER_REFUSED" }),
  );
});
