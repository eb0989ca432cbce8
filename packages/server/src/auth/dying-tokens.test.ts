import { seconds, type Authenticated } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import type { Limits } from "../limits/limits.ts";
import { bearer, openOldStream, openSession, request, startOldHubShell } from "../testing/old-hub-shell.ts";
import { send } from "../testing/post.ts";
import type { TestShell } from "../testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

/** Tokens that live and die elsewhere: nobody tells us when. */
async function startWithForeignTokens(
  limits: Partial<Limits> = {},
): Promise<{ at: TestShell; known: Map<string, Authenticated> }> {
  const known = new Map<string, Authenticated>([["t-otto", { principal: "otto", role: "operator" }]]);
  shell = await startOldHubShell({ limits, authenticator: { authenticate: async (token) => known.get(token) } });
  return { at: shell, known };
}

// @proves farm.mcp-auth.dies-mid-session farm.mcp-auth.unauthorized
test("a token that dies is refused on the session's next request, and its streams end within a minute", async () => {
  const { at, known } = await startWithForeignTokens();
  const session = await openSession(at, "t-otto");
  const stream = await session.stream();
  const old = await openOldStream(at, bearer("t-otto"));
  expect(await session.ask("ping")).toMatchObject({ status: 200 });
  known.clear();
  await at.clock.advance(seconds(30)); // as long as a verified token is trusted
  const refused = await session.ask("ping");
  expect(refused).toMatchObject({ status: 401, body: { error: "Unauthorized", message: expect.any(String) } });
  expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer /);
  await at.clock.advance(seconds(30));
  expect(await stream.message()).toBeUndefined();
  expect(await old.events.message()).toBeUndefined();
});

// @proves farm.mcp-auth.sse-post-without-header
test("a message without a header is refused once the stream's token is known to be dead, before the stream ends", async () => {
  const { at, known } = await startWithForeignTokens({ verifiedTokenAge: seconds(5) });
  const { endpoint } = await openOldStream(at, bearer("t-otto"));
  await at.clock.advance(seconds(6));
  expect(await send(endpoint, request("ping"), {})).toMatchObject({ status: 202 });
  known.clear();
  await at.clock.advance(seconds(6));
  expect(await send(endpoint, request("ping"), {})).toMatchObject({ status: 401 });
  expect(at.server.metrics()).toContain('steading_mcp_connections{transport="http+sse"} 1\n');
});
