import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type ServerCapabilities,
  type ServerOptions,
} from "@modelcontextprotocol/server";
import type { Log } from "@steading/kernel";
import type { Window } from "../http/route.ts";
import type { ResourceShelf } from "../lists/resource-shelf.ts";
import type { ToolPages } from "../lists/tool-pages.ts";
import { callerOf, type Identity } from "./identity.ts";
import { progressOf } from "./progress.ts";
import { ShellServer } from "./shell-server.ts";
import type { ToolCalls } from "./tool-calls.ts";

export interface Instance {
  readonly era: "modern" | "legacy";
  /** Who opened the connection; a request with credentials of its own overrules it. */
  readonly identity: Identity;
  readonly window: Window;
  /** The 2025 era's subscriptions; absent where the era or the transport has none. */
  readonly subscriptions?: Set<string>;
}

/** Makes one protocol instance over the shared registries. Cheap, and without side effects: a probe may throw it away. */
export type BuildInstance = (instance: Instance) => Server;

export interface ServerInfo {
  readonly name: string;
  readonly title?: string;
  readonly version: string;
}

const CAPABILITIES: ServerCapabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
};

const CACHE_HINTS: NonNullable<ServerOptions["cacheHints"]> = {
  "server/discover": { ttlMs: 300_000, cacheScope: "public" },
  "tools/list": { ttlMs: 60_000, cacheScope: "private" },
  "prompts/list": { ttlMs: 60_000, cacheScope: "public" },
  "resources/templates/list": { ttlMs: 60_000, cacheScope: "public" },
  "resources/list": { ttlMs: 5_000, cacheScope: "private" },
  "resources/read": { ttlMs: 0, cacheScope: "private" },
};

export function createInstanceBuilder({
  info,
  instructions,
  pages,
  calls,
  shelf,
  log,
  subscriptionsPerClient,
}: {
  readonly info: ServerInfo;
  readonly instructions: string;
  readonly pages: ToolPages;
  readonly calls: ToolCalls;
  readonly shelf: ResourceShelf;
  readonly log: Log;
  readonly subscriptionsPerClient: number;
}): BuildInstance {
  return ({ identity, window, subscriptions }) => {
    const server = new ShellServer(info, {
      capabilities: CAPABILITIES,
      instructions,
      cacheHints: CACHE_HINTS,
      inputRequired: { maxRounds: 4, roundTimeoutMs: 120_000 },
    });
    server.onerror = (error) => log.debug("A client's message could not be served.", { reason: error.message });
    const guarded = keepFaultsInside(log);

    server.setRequestHandler("tools/list", (request, context) =>
      guarded(() => {
        const page = pages.page(callerOf(context, identity), window, request.params?.cursor);
        if (page === undefined) throw invalid("Invalid cursor");
        return { ...page };
      }),
    );
    server.setRequestHandler("tools/call", (request, context) =>
      guarded(() =>
        calls.run({
          name: request.params.name,
          arguments: request.params.arguments,
          caller: callerOf(context, identity),
          window,
          signal: context.mcpReq.signal,
          ...progressOf(context),
        }),
      ),
    );
    server.setRequestHandler("resources/list", (request, context) =>
      guarded(() => {
        const page = shelf.list(callerOf(context, identity), request.params?.cursor);
        if (page === undefined) throw invalid("Invalid cursor");
        const resources = page.resources.map(({ minimumRole: _, ...shown }) => shown);
        return { resources, ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }) };
      }),
    );
    server.setRequestHandler("resources/templates/list", (request) =>
      guarded(() => {
        if (request.params?.cursor !== undefined) throw invalid("Invalid cursor");
        return { resourceTemplates: shelf.templates().map((template) => ({ ...template })) };
      }),
    );
    server.setRequestHandler("resources/read", (request, context) =>
      guarded(async () => {
        const { uri } = request.params;
        const content = await shelf.read(uri, callerOf(context, identity));
        if (content === undefined) throw new ResourceNotFoundError(uri);
        return { contents: [{ ...content }] };
      }),
    );
    server.setRequestHandler("prompts/list", () => ({ prompts: [] }));
    server.setRequestHandler("prompts/get", (request) => {
      throw invalid(`Unknown prompt: ${request.params.name}`);
    });
    server.setRequestHandler("completion/complete", () => ({ completion: { values: [], total: 0, hasMore: false } }));
    if (subscriptions !== undefined) addSubscriptions(server, subscriptions);
    return server;

    function addSubscriptions(target: Server, uris: Set<string>): void {
      target.setRequestHandler("resources/subscribe", (request, context) =>
        guarded(async () => {
          const { uri } = request.params;
          if (uris.size >= subscriptionsPerClient && !uris.has(uri))
            throw invalid(`At most ${subscriptionsPerClient} subscriptions`);
          if ((await shelf.read(uri, callerOf(context, identity))) === undefined) throw new ResourceNotFoundError(uri);
          uris.add(uri);
          return {};
        }),
      );
      target.setRequestHandler("resources/unsubscribe", (request) => {
        uris.delete(request.params.uri);
        return {};
      });
    }
  };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** The SDK shows the text of an escaped exception to the client; only our own protocol errors may get that far. */
function keepFaultsInside(log: Log) {
  return async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (fault) {
      if (fault instanceof ProtocolError) throw fault;
      log.error("A request handler failed.", fault);
      throw new ProtocolError(ProtocolErrorCode.InternalError, "Internal error; the log has the reason.");
    }
  };
}
