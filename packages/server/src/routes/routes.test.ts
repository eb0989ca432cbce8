import { request } from "node:http";
import { hours } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { createBarnPart } from "../testing/barn-part.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

const shells: TestShell[] = [];
afterEach(async () => {
  await Promise.all(shells.splice(0).map((shell) => shell.close()));
});
async function start(...given: Parameters<typeof startShell>) {
  const barn = createBarnPart();
  const shell = await startShell({ parts: [barn], ...given[0] });
  shells.push(shell);
  const operator = (await shell.tokens.create({ principal: "olga", role: "operator", label: "test" })).token;
  async function ask(method: string, path: string, { token, body, headers = {} }: Ask = {}) {
    const response = await fetch(`${shell.url}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
  }
  return { barn, shell, operator, ask };
}
interface Ask {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

test("a public route answers everybody, and knows whoever has a credential", async () => {
  const { ask, shell } = await start();
  expect(await ask("GET", "/api/health")).toMatchObject({
    status: 200,
    json: { status: "ok", known: false, who: "nobody" },
  });
  expect(await ask("GET", "/api/health", { token: shell.viewer })).toMatchObject({
    json: { known: true, who: "vera" },
  });
  expect(await ask("GET", "/api/health", { token: "stead_0123456789012345678901234567890123" })).toMatchObject({
    status: 200,
    json: { known: false },
  });
  expect((await ask("HEAD", "/api/health")).status).toBe(200);
});

test("a guarded route asks for a credential first, in the part's own words", async () => {
  const { ask } = await start();
  const none = await ask("POST", "/api/animals", { body: "not json" });
  expect(none).toMatchObject({
    status: 401,
    json: { error: "Unauthorized", message: "This address needs a bearer token.", code: "UNAUTHENTICATED" },
  });
  expect(none.headers.get("www-authenticate")).toBe("Bearer");
  const wrong = await ask("GET", "/api/animals", { token: "stead_0123456789012345678901234567890123" });
  expect(wrong).toMatchObject({ status: 401, json: { message: "The token is unknown, expired or revoked." } });
  expect(wrong.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
});

test("a role below the route's, or a token for something else, is refused", async () => {
  const { ask, shell } = await start();
  const body = { name: "Berta" };
  expect(await ask("POST", "/api/animals", { token: shell.viewer, body })).toMatchObject({
    status: 403,
    json: { error: "Forbidden", message: "This needs the role operator." },
  });
  const narrow = (scope: object) => shell.tokens.create({ principal: "anna", role: "admin", label: "narrow", scope });
  const elsewhere = await narrow({ toolsets: ["subjects"] });
  expect(await ask("GET", "/api/me", { token: elsewhere.token })).toMatchObject({ status: 403 });
  const here = await narrow({ toolsets: ["barn"] });
  expect(await ask("GET", "/api/me", { token: here.token })).toMatchObject({ status: 200 });
  const lowered = await narrow({ role: "viewer" });
  expect(await ask("POST", "/api/animals", { token: lowered.token, body })).toMatchObject({ status: 403 });
});

// @proves kernel.part.routes-are-data
test("what comes in is checked and converted; every problem is named", async () => {
  const { ask, operator, shell } = await start();
  expect(await ask("POST", "/api/animals", { token: operator, body: { name: "Berta", colour: "red" } })).toMatchObject({
    status: 201,
    json: { id: 7, name: "Berta" },
  });
  expect(await ask("POST", "/api/animals", { token: operator, body: {} })).toMatchObject({
    status: 400,
    json: { message: 'The body: "name" is required.', code: "INVALID_ARGUMENTS" },
  });
  expect(await ask("POST", "/api/animals", { token: operator })).toMatchObject({ status: 400 });
  expect(await ask("GET", "/api/animals?limit=3", { token: shell.viewer })).toMatchObject({ json: { limit: 3 } });
  expect(await ask("GET", "/api/animals?tag=a&tag=b", { token: shell.viewer })).toMatchObject({
    json: { limit: 5, tag: ["a", "b"] },
  });
  expect(await ask("GET", "/api/animals?limit=eleven", { token: shell.viewer })).toMatchObject({ status: 400 });
  expect(await ask("GET", "/api/animals/0", { token: shell.viewer })).toMatchObject({
    status: 400,
    json: { message: 'The path: "id" must be more than 0.' },
  });
  const one = await ask("GET", "/api/animals/12/", { token: shell.viewer });
  expect(one).toMatchObject({ status: 200, json: { id: 12, name: "Berta" } });
  expect(one.headers.get("x-barn")).toBe("1");
  expect(one.headers.get("cache-control")).toBe("no-store");
});

test("errors have the status of their kind; what nobody foresaw says nothing of itself", async () => {
  const { ask, shell } = await start();
  const { viewer: token } = shell;
  expect(await ask("GET", "/api/animals/404", { token })).toMatchObject({
    status: 404,
    json: { code: "ANIMAL_UNKNOWN" },
  });
  expect(await ask("GET", "/api/animals/422", { token })).toMatchObject({
    status: 422,
    json: { code: "ANIMAL_TIRED" },
  });
  const bug = await ask("GET", "/api/animals/500", { token });
  expect(bug).toMatchObject({ status: 500, json: { code: "INTERNAL" } });
  expect(bug.text).not.toContain("secret");
});

test("bodies that are too large, too deep, ambiguous or no JSON are refused before anybody looks at them", async () => {
  const { ask, operator: token } = await start();
  const post = (body: string, headers = {}) => ask("POST", "/api/animals", { token, body, headers });
  expect(await post(JSON.stringify({ name: "x".repeat(2_000) }))).toMatchObject({
    status: 413,
    json: { code: "BODY_TOO_LARGE" },
  });
  expect(await post("{name}")).toMatchObject({ status: 400, json: { code: "BODY_INVALID" } });
  expect(await post('{"name":"a","name":"b"}')).toMatchObject({ status: 400, json: { code: "BODY_INVALID" } });
  expect(await post(`${"[".repeat(65)}${"]".repeat(65)}`)).toMatchObject({
    status: 400,
    json: { code: "BODY_INVALID" },
  });
  expect(await post('{"name":"a"}', { "content-type": "text/plain" })).toMatchObject({ status: 415 });
});

test("what is not there says so in the part's words below its prefix, and in the hub's elsewhere", async () => {
  const { ask, shell } = await start();
  expect(await ask("GET", "/api/nothing")).toMatchObject({
    status: 404,
    json: { error: "Not found", code: "ROUTE_UNKNOWN" },
  });
  expect(await ask("GET", "/elsewhere")).toMatchObject({ status: 404, json: { error: "not_found" } });
  const wrong = await ask("PUT", "/api/animals", { token: shell.admin, body: {} });
  expect(wrong).toMatchObject({ status: 405, json: { code: "METHOD_NOT_ALLOWED" } });
  expect(wrong.headers.get("allow")).toBe("GET, POST, HEAD");
  expect(await ask("GET", `/api/animals/${"9".repeat(600)}`, { token: shell.viewer })).toMatchObject({ status: 400 });
  expect(await ask("GET", "/api/animals/%zz", { token: shell.viewer })).toMatchObject({ status: 400 });
});

test("a route may answer with nothing, or with something else than JSON", async () => {
  const { ask, shell } = await start();
  expect(await ask("DELETE", "/api/animals/3", { token: shell.admin })).toMatchObject({ status: 204, text: "" });
  const csv = await ask("GET", "/api/animals.csv", { token: shell.viewer });
  expect(csv.text).toBe("id,name\n1,Berta\n");
  expect(csv.headers.get("content-type")).toMatch(/^text\/csv/);
});

// @proves kernel.caller.carries-identity-and-context
test("a route knows who asks, from where, and with what", async () => {
  const { ask, shell } = await start();
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const scope = { role: "viewer", toolsets: ["barn"] } as const;
  const { token } = await shell.tokens.create({ principal: "anna", role: "admin", label: "narrow", scope });
  const me = () => ask("GET", "/api/me", { token, headers: { "user-agent": "barn-test", traceparent } });
  const first: unknown = (await me()).json;
  expect(first).toEqual({
    principal: "anna",
    role: "admin",
    scope: JSON.stringify(scope),
    credential: true,
    transport: "rest",
    correlation: expect.stringMatching(/^[0-9a-f-]{36}$/),
    traceparent,
    token: token.length,
    remoteAddress: "127.0.0.1",
    agent: "barn-test",
  });
  expect((await me()).json).not.toEqual(first); // every request has a correlation of its own
});

test("a route that takes too long is answered and told to stop; a client that leaves stops it too", async () => {
  const { barn, shell, ask } = await start();
  const late = ask("POST", "/api/slow", { token: shell.viewer });
  while (barn.slow.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await shell.clock.advance(hours(1));
  expect(await late).toMatchObject({ status: 504, json: { code: "TIMEOUT" } });
  expect(barn.slow[0]?.aborted).toBe(true);
  const leaving = request(`${shell.url}/api/slow`, {
    method: "POST",
    headers: { authorization: `Bearer ${shell.viewer}` },
  });
  leaving.on("error", () => {});
  leaving.end();
  while (barn.slow.length === 1) await new Promise((resolve) => setImmediate(resolve));
  const gone = new Promise((resolve) => barn.slow[1]?.addEventListener("abort", resolve));
  leaving.destroy();
  await gone;
});

test("one caller cannot take every place, and gets them back", async () => {
  const { shell, ask, barn } = await start({ limits: { callsPerPrincipal: 2 } });
  const held = [1, 2].map(() => ask("POST", "/api/slow", { token: shell.viewer }));
  while (barn.slow.length < 2) await new Promise((resolve) => setImmediate(resolve));
  const third = await ask("GET", "/api/me", { token: shell.viewer });
  expect(third).toMatchObject({ status: 429, json: { code: "TOO_MANY_CALLS" } });
  expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await ask("GET", "/api/me", { token: shell.admin })).toMatchObject({ status: 200 });
  await shell.clock.advance(hours(1));
  await Promise.all(held);
  expect(await ask("GET", "/api/me", { token: shell.viewer })).toMatchObject({ status: 200 });
  expect(await ask("POST", "/api/animals", { token: shell.admin, body: "{" })).toMatchObject({ status: 400 });
  expect(await ask("POST", "/api/animals", { token: shell.admin, body: "{" })).toMatchObject({ status: 400 });
  expect(await ask("GET", "/api/me", { token: shell.admin })).toMatchObject({ status: 200 });
});

test("routes stand behind the same guard as MCP, and pages that are allowed may use all their methods", async () => {
  const { shell } = await start({ allowedOrigins: ["barn.example"] });
  const from = (origin: string, method: string) =>
    fetch(`${shell.url}/api/animals`, {
      method,
      headers: { origin, "access-control-request-method": "PUT", authorization: `Bearer ${shell.viewer}` },
    });
  expect((await from("https://evil.example", "GET")).status).toBe(403);
  const preflight = await from("https://barn.example", "OPTIONS");
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-methods")).toContain("PATCH");
  const answer = await from("https://barn.example", "GET");
  expect(answer.headers.get("access-control-allow-origin")).toBe("https://barn.example");
});

test("answers are counted", async () => {
  const { ask, shell } = await start();
  await ask("GET", "/api/health");
  await ask("GET", "/api/animals");
  await ask("GET", "/api/nothing");
  const metrics = shell.server.metrics();
  expect(metrics).toContain('steading_route_answers_total{set="barn-api",status="2xx"} 1');
  expect(metrics).toContain('steading_route_answers_total{set="barn-api",status="4xx"} 2');
});
