import { createManualClock, createMemoryLedger, silentLog, type ManualClock } from "@steading/kernel";
import { createAccessTokens, type AccessTokens } from "../auth/access-tokens.ts";
import type { ListenAt } from "../http/http-listener.ts";
import { createServer, type McpServer } from "../server.ts";
import type { ServerDeps } from "../server-deps.ts";
import { createHandDispatcher, type HandDispatcher } from "./hand-dispatcher.ts";
import { createHandResources, type HandResources } from "./hand-resources.ts";
import { HAND_TOOLS } from "./hand-tools.ts";

export interface TestShell {
  readonly server: McpServer;
  readonly url: string;
  readonly mcp: URL;
  readonly dispatcher: HandDispatcher;
  readonly resources: HandResources;
  readonly tokens: AccessTokens;
  readonly clock: ManualClock;
  readonly admin: string;
  readonly viewer: string;
  close(): Promise<void>;
}

/** A whole shell on a free port of loopback, with one token per role. Time stands still until a test moves it. */
export async function startShell(changes: Partial<ServerDeps> = {}, at: Partial<ListenAt> = {}): Promise<TestShell> {
  const clock = createManualClock();
  const dispatcher = createHandDispatcher(...HAND_TOOLS);
  const resources = createHandResources();
  const tokens = createAccessTokens({ ledger: createMemoryLedger({ clock }), clock });
  const admin = await tokens.create({ principal: "anna", role: "admin", label: "test" });
  const viewer = await tokens.create({ principal: "vera", role: "viewer", label: "test" });
  const server = createServer({
    dispatcher,
    resources: [resources],
    authenticator: tokens,
    info: { name: "test-shell", version: "1.2.3" },
    instructions: "For tests.",
    clock,
    log: silentLog,
    health: () => ({ status: "ok" }),
    ...changes,
  });
  const { url } = await server.listen({ host: "127.0.0.1", port: 0, ...at });
  return {
    server,
    url,
    mcp: new URL(`${url}/mcp`),
    dispatcher,
    resources,
    tokens,
    clock,
    admin: admin.token,
    viewer: viewer.token,
    close: () => server.close(),
  };
}
