import { SteadingError } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { send } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import type { ServerDeps } from "../server-deps.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const refusalBody: NonNullable<ServerDeps["refusalBody"]> = ({ status, sentence }) => ({
  error: status === 401 ? "Unauthorized" : "Refused",
  message: sentence,
});

// @proves farm.mcp-auth.unauthorized
test("a shell with a refusal of its own form keeps status and challenge", async () => {
  shell = await startShell({ refusalBody });
  for (const headers of [{}, bearer("nobody"), { authorization: "Basic YTpi" }]) {
    const refused = await send(shell.mcp, "{}", headers);
    expect(refused).toMatchObject({ status: 401, body: { error: "Unauthorized", message: expect.any(String) } });
    expect(Object.keys(refused.body as object)).toEqual(["error", "message"]);
    expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer /);
  }
});

test("a token that cannot be checked or is not for us is refused in that form too", async () => {
  const codes: Readonly<Record<string, string>> = { away: "ISSUER_UNREACHABLE", narrow: "SCOPE_MISSING" };
  const authenticate = (token: string) => Promise.reject(new SteadingError(codes[token] ?? "", "no"));
  shell = await startShell({ refusalBody, authenticator: { authenticate } });
  expect(await send(shell.mcp, "{}", bearer("away"))).toMatchObject({ status: 503, body: { error: "Refused" } });
  expect(await send(shell.mcp, "{}", bearer("narrow"))).toMatchObject({ status: 403, body: { error: "Refused" } });
});

test("health tells strangers and those with a bad token the least, and more to who has a good one", async () => {
  shell = await startShell({
    healthBody: (caller) => ({
      status: 200,
      body: caller === undefined ? { status: "ok" } : { status: "ok", server: "barn", for: caller.principal },
    }),
  });
  const health = `${shell.url}/health`;
  for (const headers of [{}, bearer("nobody"), { authorization: "Basic YTpi" }]) {
    expect(await send(health, undefined, headers, "GET")).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  }
  expect(await send(health, undefined, bearer(shell.viewer), "GET")).toMatchObject({
    status: 200,
    body: { status: "ok", server: "barn", for: "vera" },
  });
});

test("health may say that it is not well, also while no token can be checked", async () => {
  shell = await startShell({
    authenticator: { authenticate: () => Promise.reject(new SteadingError("ISSUER_UNREACHABLE", "away")) },
    healthBody: () => ({ status: 503, body: { status: "degraded" } }),
  });
  const answer = await send(`${shell.url}/health`, undefined, bearer("any"), "GET");
  expect(answer).toMatchObject({ status: 503, text: '{"status":"degraded"}' });
});
