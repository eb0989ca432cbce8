import { createMcpHandler, McpServer, type Server, type Tool as WireTool } from "@modelcontextprotocol/server";
import type { Log } from "@steading/kernel";
import type { Window } from "../http/route.ts";
import type { Seats } from "../limits/call-seats.ts";
import type { BuildInstance, ServerInfo } from "./build-instance.ts";
import type { Exchange } from "./exchange.ts";
import { identityFrom, toAuthInfo } from "./identity.ts";
import { toWebRequest } from "./web-request.ts";
import { writeResponse } from "./write-response.ts";

export interface ModernLeg {
  serve(exchange: Exchange, body: unknown, seats: Seats): Promise<void>;
  close(): Promise<void>;
}

/** The 2026-07-28 era: no session, one instance per request. Also owns the error bodies of malformed requests. */
export function createModernLeg({
  build,
  info,
  headerTools,
  log,
  keepAliveMs,
  unreadBytes,
}: {
  readonly build: BuildInstance;
  readonly info: ServerInfo;
  /** Tools whose arguments travel in `Mcp-Param-*` headers too, which only the referee's fixtures do. */
  readonly headerTools: ReadonlyMap<string, WireTool>;
  readonly log: Log;
  readonly keepAliveMs: number;
  readonly unreadBytes: number;
}): ModernLeg {
  const windows = new WeakMap<Request, Window>();
  const handler = createMcpHandler(
    ({ era, authInfo, requestInfo }) => {
      const identity = identityFrom(authInfo);
      const window = requestInfo === undefined ? undefined : windows.get(requestInfo);
      if (identity === undefined || window === undefined)
        throw new Error("A request reached the 2026 leg without passing the gate");
      const server = build({ era, identity, window });
      return headerTools.size === 0 ? server : new HeaderChecked(info, server, headerTools);
    },
    {
      legacy: "reject",
      keepAliveMs,
      onerror: (error) => log.debug("A 2026 request was refused.", { reason: error.message }),
    },
  );

  return {
    async serve({ req, res, identity, window }, body, seats) {
      const request = toWebRequest(req, res, seats);
      windows.set(request, window);
      const response = await handler.fetch(request, { authInfo: toAuthInfo(identity), parsedBody: body });
      if (res.destroyed) return void response.body?.cancel().catch(() => {});
      if ((await writeResponse(response, res, unreadBytes)) === "cut")
        log.warn("A stream was cut because its reader stalled.", { principal: identity.principal });
    },
    close: () => handler.close(),
  };
}

/** The SDK checks `Mcp-Param-*` headers for its high-level class only; this is as little of one as that takes. */
class HeaderChecked extends McpServer {
  override readonly server: Server;
  readonly #tools: ReadonlyMap<string, WireTool>;

  constructor(info: ServerInfo, server: Server, tools: ReadonlyMap<string, WireTool>) {
    super(info);
    this.server = server;
    this.#tools = tools;
  }
  override toolInputSchemaJson(name: string): WireTool["inputSchema"] | undefined {
    return this.#tools.get(name)?.inputSchema;
  }
}
