import type { Readable, Writable } from "node:stream";
import { preloadSchemas } from "@modelcontextprotocol/server";
import type { Caller, View } from "@steading/kernel";
import { createConnectionCount } from "./http/connection-count.ts";
import { createEdgeCounters } from "./http/edge-counters.ts";
import { startHttpListener, type HttpListener, type ListenAt } from "./http/http-listener.ts";
import { assertSafeListener } from "./http/safe-listener.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits/limits.ts";
import type { ServerDeps } from "./server-deps.ts";
import { createShell } from "./shell.ts";
import type { ServedStream } from "./stdio/serve-streams.ts";
import { serveSocket, type LocalSocket } from "./stdio/serve-socket.ts";

export interface McpServer {
  /** May be called for several addresses. */
  listen(at: ListenAt): Promise<{ readonly url: string; readonly port: number }>;
  /** Speaks MCP on a pair of streams, for whoever started the process. */
  serveStdio(stream: {
    readonly input: Readable;
    readonly output: Writable;
    readonly caller: Pick<Caller, "principal" | "role" | "scope">;
    /** Which tools it shows; all of them where this says nothing. */
    readonly view?: View;
  }): ServedStream;
  serveSocket(path: string): Promise<LocalSocket>;
  /** What Prometheus would read. */
  metrics(): string;
  close(): Promise<void>;
}

const INSTRUCTION_BYTES = 2_048;

/** The MCP shell: a wire adapter in front of the dispatcher. Nothing listens until it is asked to. */
export function createServer(deps: ServerDeps): McpServer {
  const { authenticator, clock, log } = deps;
  const limits: Limits = { ...DEFAULT_LIMITS, ...deps.limits };
  if (Buffer.byteLength(deps.instructions) > INSTRUCTION_BYTES)
    throw new RangeError(`Instructions exceed ${INSTRUCTION_BYTES} bytes`);
  if ((deps.natives ?? []).length > 0 && deps.conformance !== true)
    throw new TypeError("Native tools have no door behind them; only the conformance fixtures may bring any.");
  // Otherwise the first request would pay for building every wire schema.
  preloadSchemas();

  const edge = createEdgeCounters();
  const connections = createConnectionCount({ edge, ...limits });
  const metrics = () => [...connections.metrics(), ...(deps.metrics?.() ?? [])];
  const shell = createShell({ ...deps, metrics }, limits, edge);
  const listeners = new Set<HttpListener>();
  const streams = new Set<ServedStream>();
  const sockets = new Set<LocalSocket>();

  return {
    async listen(at) {
      assertSafeListener({
        host: at.host,
        tls: at.tls !== undefined,
        trustedProxy: at.trustedProxy ?? false,
        insecure: at.insecure ?? false,
        allowedHosts: deps.allowedHosts ?? [],
        ownAddressesAllowed: deps.ownAddressesAllowed ?? false,
        anonymous: authenticator.anonymous !== undefined,
      });
      const { onRequest, onUpgrade } = await shell.listenerFor(at);
      const listener = await startHttpListener({
        at,
        onRequest,
        onUpgrade,
        limits,
        edge,
        connections,
      });
      listeners.add(listener);
      log.info("Serving MCP over HTTP.", { url: `${listener.url}/mcp` });
      return { url: listener.url, port: listener.port };
    },
    serveStdio({ input, output, caller, view = { kind: "all" } }) {
      const { principal, role, scope } = caller;
      const identity = { principal, role, ...(scope === undefined ? {} : { scope }), transport: "stdio" } as const;
      const stream = shell.serveStream({ input, output, identity, window: { view, names: "dotted" } });
      streams.add(stream);
      void stream.ended.then(() => streams.delete(stream));
      return stream;
    },
    async serveSocket(path) {
      const { dispatcher } = deps;
      const onRefused = (): void => edge.count("local_connections");
      const serveStream = shell.serveStream;
      const socket = await serveSocket({ path, serveStream, dispatcher, clock, log, limits, onRefused });
      sockets.add(socket);
      return socket;
    },
    metrics: () => shell.metrics(),
    async close() {
      await Promise.all([...streams, ...sockets].map((each) => each.close()));
      await shell.close();
      await Promise.all([...listeners].map((listener) => listener.close()));
      listeners.clear();
      streams.clear();
      sockets.clear();
    },
  };
}
