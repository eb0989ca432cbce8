import type { Readable, Writable } from "node:stream";
import { preloadSchemas } from "@modelcontextprotocol/server";
import type { Cancel, Caller, Clock, Dispatcher, Health, Log, ResourceProvider } from "@steading/kernel";
import type { Authenticator } from "./auth/authenticator.ts";
import { createBearerGate } from "./auth/bearer-gate.ts";
import { createVerifiedTokens } from "./auth/verified-tokens.ts";
import { createFanOut } from "./changes/fan-out.ts";
import { createInstanceBuilder, type ServerInfo } from "./eras/build-instance.ts";
import { createModernLeg } from "./eras/modern.ts";
import { createSessions } from "./eras/sessions.ts";
import { createToolCalls } from "./eras/tool-calls.ts";
import { createHostAndOriginCheck } from "./http/host-and-origin.ts";
import { isLoopback, startHttpListener, type HttpListener, type ListenAt } from "./http/http-listener.ts";
import { createOrderOfWork } from "./http/order-of-work.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits/limits.ts";
import { createResourceShelf } from "./lists/resource-shelf.ts";
import { createToolPages } from "./lists/tool-pages.ts";
import { shellError } from "./shell-errors.ts";
import { createStreamServer, type ServedStream } from "./stdio/serve-streams.ts";
import { serveSocket, type LocalSocket } from "./stdio/serve-socket.ts";

export interface ServerDeps {
  readonly dispatcher: Dispatcher;
  readonly resources: readonly ResourceProvider[];
  readonly authenticator: Authenticator;
  readonly info: ServerInfo;
  /** For the model at the other end; at most 2 KB and the same for everybody. */
  readonly instructions: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<Limits>;
  /** Host names besides those of loopback. */
  readonly allowedHosts?: readonly string[];
  /** Host names of web pages that may call us, besides `allowedHosts`; `scheme://*` for browser extensions. */
  readonly allowedOrigins?: readonly string[];
  health(): Health;
}

export interface McpServer {
  /** May be called for several addresses. */
  listen(at: ListenAt): Promise<{ readonly url: string; readonly port: number }>;
  /** Speaks MCP on a pair of streams, for whoever started the process. */
  serveStdio(stream: {
    readonly input: Readable;
    readonly output: Writable;
    readonly caller: Pick<Caller, "principal" | "role" | "scope">;
  }): ServedStream;
  serveSocket(path: string): Promise<LocalSocket>;
  close(): Promise<void>;
}

const INSTRUCTION_BYTES = 2_048;

/** The MCP shell: a wire adapter in front of the dispatcher. Nothing listens until it is asked to. */
export function createServer(deps: ServerDeps): McpServer {
  const { dispatcher, authenticator, clock, log, info } = deps;
  const limits: Limits = { ...DEFAULT_LIMITS, ...deps.limits };
  if (Buffer.byteLength(deps.instructions) > INSTRUCTION_BYTES)
    throw new RangeError(`Instructions exceed ${INSTRUCTION_BYTES} bytes`);
  preloadSchemas();

  const pages = createToolPages({ dispatcher, ...limits });
  const shelf = createResourceShelf({ providers: deps.resources, perPage: limits.resourcesPerPage });
  const fanOut = createFanOut({
    clock,
    listChangedEvery: limits.listChangedEvery,
    resourceUpdatedEvery: () => limits.resourceUpdatedEvery,
  });
  const calls = createToolCalls({ dispatcher, pages });
  const build = createInstanceBuilder({ info, instructions: deps.instructions, pages, calls, shelf, log, ...limits });
  const modern = createModernLeg({ build, log, keepAliveMs: limits.streamKeepAlive, unreadBytes: limits.unreadBytes });
  const sessions = createSessions({ build, pages, fanOut, clock, log, limits });
  const serveStream = createStreamServer({ build, pages, fanOut, log, lineBytes: limits.lineBytes });
  const verified = createVerifiedTokens({
    authenticator,
    clock,
    capacity: limits.verifiedTokens,
    age: limits.verifiedTokenAge,
  });

  const allowedHosts = deps.allowedHosts ?? [];
  const onRequest = createOrderOfWork({
    check: createHostAndOriginCheck({ hosts: allowedHosts, origins: deps.allowedOrigins ?? [] }),
    gate: createBearerGate({ authenticator, verified }),
    modern,
    sessions,
    hasToolset: (name) => dispatcher.hasToolset(name),
    health: () => deps.health(),
    serverName: info.title ?? info.name,
    log,
    bodyBytes: limits.bodyBytes,
  });

  const watching: Cancel[] = [
    dispatcher.onChange(() => fanOut.tools()),
    shelf.onListChanged(() => fanOut.resources()),
    shelf.onUpdated((uri) => fanOut.resource(uri)),
  ];
  const listeners = new Set<HttpListener>();
  const streams = new Set<ServedStream>();
  const sockets = new Set<LocalSocket>();

  function refuseOpenDoors(at: ListenAt): void {
    if (isLoopback(at.host)) return;
    if (authenticator.anonymous !== undefined)
      throw shellError("LISTEN_INSECURE", `Without credentials only loopback is served, not ${at.host}.`);
    if (at.insecure !== true)
      throw shellError("LISTEN_INSECURE", `${at.host} is not loopback, and this listener has no TLS.`);
    if (allowedHosts.length === 0)
      throw shellError("LISTEN_INSECURE", `Listening on ${at.host} needs the host names it is reached by.`);
  }

  return {
    async listen(at) {
      refuseOpenDoors(at);
      const listener = await startHttpListener({ at, onRequest, limits });
      listeners.add(listener);
      log.info("Serving MCP over HTTP.", { url: `${listener.url}/mcp` });
      return { url: listener.url, port: listener.port };
    },
    serveStdio({ input, output, caller }) {
      const { principal, role, scope } = caller;
      const identity = { principal, role, ...(scope === undefined ? {} : { scope }), transport: "stdio" } as const;
      const stream = serveStream({ input, output, identity, window: { view: { kind: "all" }, names: "dotted" } });
      streams.add(stream);
      void stream.ended.then(() => streams.delete(stream));
      return stream;
    },
    async serveSocket(path) {
      const socket = await serveSocket({ path, serveStream, clock, log, limits });
      sockets.add(socket);
      return socket;
    },
    async close() {
      for (const cancel of watching.splice(0)) cancel();
      fanOut.close();
      await Promise.all([...streams, ...sockets].map((each) => each.close()));
      await Promise.all([sessions.close(), modern.close()]);
      await Promise.all([...listeners].map((listener) => listener.close()));
      listeners.clear();
      streams.clear();
      sockets.clear();
      verified.close();
    },
  };
}
