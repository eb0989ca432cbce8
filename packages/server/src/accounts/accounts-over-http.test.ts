import { hours } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { openEvents, type EventReader } from "../testing/event-stream.ts";
import { pick, post, send } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { createTrialAccounts, LOCAL, PASSWORD } from "../testing/trial-accounts.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

async function setUp() {
  const trial = createTrialAccounts();
  const { accounts, clock, changes } = trial;
  const running = await startShell({ authenticator: accounts, authorization: accounts.authorization, clock });
  shell = running;
  await changes.create(LOCAL, { name: "root", role: "admin" });
  await changes.create(LOCAL, { name: "anna", role: "operator", password: PASSWORD });
  const login = async () => (await accounts.login({ name: "anna", password: PASSWORD, address: "192.0.2.1" })).token;
  const token = await changes.createToken(LOCAL, { owner: "anna", label: "laptop" });
  const whoAmI = (credential: string) => post(running.mcp, "tools/call", { name: "who.am.i" }, { token: credential });
  const tools = async (credential: string) => {
    const { body } = await post(running.mcp, "tools/list", {}, { token: credential });
    return pick<{ name: string }[]>(body, "result", "tools").map(({ name }) => name);
  };
  return { ...trial, shell: running, login, token, whoAmI, tools };
}

type Opened = (credential: string) => Promise<EventReader>;

/** The three kinds of streams that outlive a request, each open and past its first event. */
function streams(at: TestShell): Record<string, Opened> {
  const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
  return {
    async sse(credential) {
      const events = await openEvents(at.mcp, { headers: { ...bearer(credential), accept: "text/event-stream" } });
      expect(await events.next()).toMatchObject({ event: "endpoint" });
      return events;
    },
    async listen(credential) {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const params = { notifications: { toolsListChanged: true }, _meta };
      const events = await openEvents(at.mcp, {
        method: "POST",
        headers: {
          ...bearer(credential),
          "content-type": "application/json",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "subscriptions/listen",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params }),
      });
      expect(await events.message()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
      return events;
    },
    async session(credential) {
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } };
      const opened = await send(at.mcp, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }), {
        ...bearer(credential),
      });
      const session = opened.headers.get("mcp-session-id") ?? "";
      const events = await openEvents(at.mcp, {
        headers: { ...bearer(credential), accept: "text/event-stream", "mcp-session-id": session },
      });
      expect(events.status).toBe(200);
      return events;
    },
  };
}

/** Reads until the end; a stream that goes on lets the test run into its time limit. */
async function ended(events: EventReader): Promise<boolean> {
  for (let event = await events.next(); event !== undefined; event = await events.next());
  return true;
}

// @proves mcp.auth.farm-login-token mcp.auth.token-missing mcp.auth.token-bad mcp.auth.body-oauth-json mcp.auth.challenge-header mcp.auth.no-verifier-internals
test("a login and a token open the door, everything else is answered alike and tells nothing", async () => {
  const { login, token, whoAmI, shell: at } = await setUp();
  const jwt = await login();
  for (const credential of [jwt, token.token]) {
    const { status, body } = await whoAmI(credential);
    expect(status).toBe(200);
    expect(pick(body, "result", "structuredContent")).toMatchObject({ principal: "anna", role: "operator" });
  }
  const [header = "", payload = "", signature = ""] = jwt.split(".");
  const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`;
  const bad = [none, `${header}.${payload}.${signature.slice(2)}`, `${token.token}x`, "stead_", "a.b.c", "garbage"];
  const answers = await Promise.all(bad.map((credential) => whoAmI(credential)));
  for (const { status, body, headers } of answers) {
    expect(status).toBe(401);
    expect(body).toEqual({
      error: "invalid_token",
      error_description: "The token is unknown, expired or revoked",
    });
    expect(headers.get("www-authenticate")).toBe(
      'Bearer error="invalid_token", error_description="The token is unknown, expired or revoked", scope="mcp", ' +
        `resource_metadata="${at.url}/.well-known/oauth-protected-resource/mcp"`,
    );
  }
});

// @proves mcp.auth.not-in-query
test.each(["token", "access_token", "authorization", "bearer", "jwt"])(
  "a credential in the query string as %s is not looked at",
  async (name) => {
    const { login, shell: at } = await setUp();
    const url = new URL(at.mcp);
    url.searchParams.set(name, await login());
    expect(await post(url, "tools/list")).toMatchObject({ status: 401 });
  },
);

// @proves mcp.auth.account-change-drops-cache kernel.accounts.one-owner
test("the next request after a change is judged by the new state", async () => {
  const { changes, login, token, whoAmI, tools } = await setUp();
  const jwt = await login();
  expect(await tools(jwt)).toContain("operate");
  await changes.update(LOCAL, "anna", { role: "viewer" });
  expect(await tools(jwt)).not.toContain("operate");
  expect(await tools(token.token)).not.toContain("operate");
  await changes.update(LOCAL, "anna", { role: "operator" });
  expect(await tools(jwt)).toContain("operate");
  await changes.update(LOCAL, "anna", { disabled: true });
  expect(await whoAmI(jwt)).toMatchObject({ status: 401 });
  expect(await whoAmI(token.token)).toMatchObject({ status: 401 });
});

// @proves mcp.auth.token-scope-narrows kernel.access.token-scope-narrows
test("a narrowed token sees less than its owner, and asking for more than the owner has is refused", async () => {
  const { changes, tools } = await setUp();
  const viewer = await changes.createToken(LOCAL, { owner: "anna", label: "display", role: "viewer" });
  expect(await tools(viewer.token)).not.toContain("operate");
  const works = await changes.createToken(LOCAL, { owner: "anna", label: "works", toolsets: ["works"] });
  expect(await tools(works.token)).toEqual(["operate"]);
  await expect(changes.createToken(LOCAL, { owner: "anna", label: "all", role: "admin" })).rejects.toMatchObject({
    code: "TOKEN_SCOPE_REFUSED",
  });
});

test.each(["sse", "listen", "session"])(
  "a %s stream ends when its token is revoked, its login ends, its account is disabled, made less or deleted",
  async (kind) => {
    const { accounts, changes, login, shell: at } = await setUp();
    const open = streams(at)[kind] as Opened;
    const { token: kept } = await changes.createToken(LOCAL, { owner: "root", label: "other" });
    const bystander = await open(kept);

    const { token, info } = await changes.createToken(LOCAL, { owner: "anna", label: "phone" });
    const revoked = await open(token);
    await changes.revokeToken(LOCAL, info.id);
    expect(await ended(revoked)).toBe(true);

    const jwt = await login();
    const loggedOut = await open(jwt);
    await accounts.logout(jwt);
    expect(await ended(loggedOut)).toBe(true);

    const changed = await open(await login());
    await changes.setPassword(LOCAL, "anna", "otters count the stairs");
    expect(await ended(changed)).toBe(true);

    const fresh = await changes.createToken(LOCAL, { owner: "anna", label: "tablet" });
    const lowered = await open(fresh.token);
    await changes.update(LOCAL, "anna", { role: "viewer" });
    expect(await ended(lowered)).toBe(true);

    const disabled = await open(fresh.token);
    await changes.update(LOCAL, "anna", { disabled: true });
    expect(await ended(disabled)).toBe(true);
    await changes.update(LOCAL, "anna", { disabled: false });

    const deleted = await open(fresh.token);
    await changes.remove(LOCAL, "anna");
    expect(await ended(deleted)).toBe(true);

    // The bystander's stream is the one that is left.
    expect(at.server.metrics()).toContain("steading_mcp_streams 1");
    bystander.close();
  },
);

// @proves mcp.auth.streams-end-at-expiry mcp.auth.cache-not-past-expiry
test.each(["sse", "listen", "session"])("a %s stream ends when its login is over", async (kind) => {
  const { clock, login, whoAmI, shell: at } = await setUp();
  const jwt = await login();
  const events = await (streams(at)[kind] as Opened)(jwt);
  expect(await whoAmI(jwt)).toMatchObject({ status: 200 });
  await clock.advance(hours(24));
  expect(await ended(events)).toBe(true);
  expect(await whoAmI(jwt)).toMatchObject({ status: 401 });
});

test("brute force at the door is answered and forgotten: wrong tokens fill no memory", async () => {
  const { whoAmI, shell: at } = await setUp();
  for (let i = 0; i < 50; i++) expect(await whoAmI(`stead_${i}`)).toMatchObject({ status: 401 });
  expect(at.server.metrics()).toContain("steading_mcp_verified_tokens 0");
});

// @proves mcp.auth.session-and-task-owner
test("somebody else's session is not there for anybody else, whatever their role", async () => {
  const { changes, shell: at, token } = await setUp();
  const root = await changes.createToken(LOCAL, { owner: "root", label: "root" });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const opened = await send(at.mcp, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }), {
    authorization: `Bearer ${token.token}`,
  });
  const session = opened.headers.get("mcp-session-id") ?? "";
  const ask = (credential: string) =>
    send(at.mcp, JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" }), {
      authorization: `Bearer ${credential}`,
      "mcp-session-id": session,
    });
  expect(await ask(root.token)).toMatchObject({ status: 404 });
  expect(await ask(token.token)).toMatchObject({ status: 200 });
});

// @proves mcp.address.no-default-password
test("the first admin has a token, no password, and cannot be guessed", async () => {
  const { accounts, clock } = createTrialAccounts();
  shell = await startShell({ authenticator: accounts, clock });
  const first = await accounts.bootstrap();
  expect(await accounts.bootstrap()).toBeUndefined();
  expect(accounts.list()).toMatchObject([{ name: "admin", role: "admin", hasPassword: false }]);
  expect(await post(shell.mcp, "tools/list", {}, { token: first?.token ?? "" })).toMatchObject({ status: 200 });
  for (const password of ["", "admin", "password", "steading"])
    await expect(accounts.login({ name: "admin", password, address: "192.0.2.1" })).rejects.toMatchObject({
      code: "LOGIN_FAILED",
    });
});

test("a narrow token does not see the numbers of the whole hub, unless it is for them", async () => {
  const { shell, changes, token } = await setUp();
  const look = async (credential: string) =>
    (await send(`${shell.url}/metrics`, undefined, { authorization: `Bearer ${credential}` }, "GET")).status;
  const narrow = await changes.createToken(LOCAL, { owner: "anna", label: "x", toolsets: ["subjects"] });
  const placed = await changes.createToken(LOCAL, { owner: "anna", label: "x", pathPrefixes: ["/barn"] });
  const monitor = await changes.createToken(LOCAL, { owner: "anna", label: "x", toolsets: ["metrics"] });
  expect([await look(token.token), await look(narrow.token), await look(placed.token)]).toEqual([200, 403, 403]);
  expect(await look(monitor.token)).toBe(200);
});

// @proves mcp.auth.not-forwarded
test("nothing behind the gate has a caller's token, so nothing can pass it on", async () => {
  const seen: unknown[] = [];
  const trial = createTrialAccounts();
  await trial.changes.create(LOCAL, { name: "anna", role: "admin" });
  const { token } = await trial.changes.createToken(LOCAL, { owner: "anna", label: "laptop" });
  shell = await startShell({
    authenticator: trial.accounts,
    clock: trial.clock,
    conformance: true,
    natives: [
      {
        definition: { name: "look", inputSchema: { type: "object" } },
        call(_input, { mcp, caller }) {
          seen.push(caller, mcp.http?.authInfo, mcp.mcpReq);
          for (const name of ["authorization", "Authorization", "cookie"])
            seen.push(mcp.http?.req?.headers.get(name), mcp.http?.req?.headers.has(name));
          return { content: [] };
        },
      },
    ],
  });
  const headers = { cookie: `a=${token}` };
  expect(await post(shell.mcp, "tools/call", { name: "look" }, { token, headers })).toMatchObject({ status: 200 });
  await post(shell.mcp, "tools/call", { name: "echo" }, { token, headers });
  seen.push(shell.dispatcher.calls.map(({ caller }) => caller));
  expect(seen.slice(3, 9)).toEqual([null, false, null, false, null, false]);
  expect(JSON.stringify(seen)).not.toContain(token);
});
