import { randomUUID } from "node:crypto";
import { createServer as createHttp, type IncomingMessage, type Server as HttpServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer, preloadSchemas, Server } from "@modelcontextprotocol/server";
import { McpServer as OldMcpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  createDispatcher,
  createMemoryLedger,
  createRealClock,
  defineTool,
  millis,
  silentLog,
  type ResourceProvider,
  type Toolset,
} from "@steading/kernel";
import { createAccessTokens, createServer } from "@steading/server";
import * as z from "zod";

// One server with `count` echo tools, in the way the first argument names. Run as a child of the benchmarks.

const [variant = "", count = "10"] = process.argv.slice(2);
const names = Array.from({ length: Number(count) }, (_, n) => `device.${String(n).padStart(4, "0")}.echo`);
const input = z.object({ text: z.string() });
const echo = (text: string) => ({ echo: text, at: 1_767_225_600_000, quality: "good" });
const started = performance.now();

process.on("message", (question) => {
  if (question === "cpu") {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  }
  if (question === "memory") {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    process.send?.({ rss, heap: heapUsed });
  }
});

// Whoever measured is gone.
process.on("disconnect", () => process.exit(0));

function ready(port: number, headers: Record<string, string> = {}, tokens: readonly string[] = []): void {
  process.send?.({ port, headers, tokens, startMs: performance.now() - started });
}

function listen(server: HttpServer): void {
  server.listen(0, "127.0.0.1", () => ready((server.address() as AddressInfo).port));
}

async function bodyOf(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

/** The floor: parse, answer, serialise, and nothing else. */
function raw(): void {
  listen(
    createHttp((req, res) => {
      const chunks: Buffer[] = [];
      req.on("data", (chunk: Buffer) => chunks.push(chunk));
      req.on("end", () => {
        const { id, params } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as {
          id: number;
          params: { arguments: { text: string } };
        };
        const structuredContent = echo(params.arguments.text);
        const content = [{ type: "text", text: JSON.stringify(structuredContent) }];
        const text = JSON.stringify({
          jsonrpc: "2.0",
          id,
          result: { content, structuredContent, resultType: "complete" },
        });
        res.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
        res.end(text);
      });
    }),
  );
}

/** The SDK's low-level class, bare. */
function sdkLow(): void {
  preloadSchemas();
  const tools = names.map((name) => ({
    name,
    description: "Echoes.",
    inputSchema: z.toJSONSchema(input) as { type: "object" },
  }));
  const known = new Set(names);
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: "peer", version: "1" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => ({ tools }));
      server.setRequestHandler("tools/call", (request) => {
        if (!known.has(request.params.name)) throw new Error("unknown");
        const structuredContent = echo(input.parse(request.params.arguments).text);
        return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
      });
      return server;
    },
    { legacy: "reject" },
  );
  const onRequest = toNodeHandler(handler);
  listen(createHttp((req, res) => void onRequest(req as Parameters<typeof onRequest>[0], res)));
}

/** The SDK's high-level class, as its guide shows it: every tool registered for each request. */
function sdkHigh(): void {
  preloadSchemas();
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: "peer", version: "1" });
      for (const name of names) {
        server.registerTool(name, { description: "Echoes.", inputSchema: input }, ({ text }) => {
          const structuredContent = echo(text);
          return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
        });
      }
      return server;
    },
    { legacy: "reject" },
  );
  const onRequest = toNodeHandler(handler);
  listen(createHttp((req, res) => void onRequest(req as Parameters<typeof onRequest>[0], res)));
}

/** Version 1 of the SDK: a session each, answers as plain JSON. */
function sdkOld(): void {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  async function open(): Promise<StreamableHTTPServerTransport> {
    const server = new OldMcpServer({ name: "peer", version: "1" });
    for (const name of names) {
      server.registerTool(
        name,
        { description: "Echoes.", inputSchema: { text: z.string() } },
        ({ text }: { text: string }) => {
          const structuredContent = echo(text);
          return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
        },
      );
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    return transport;
  }
  listen(
    createHttp((req, res) => {
      void (async () => {
        const body = await bodyOf(req);
        const transport = sessions.get(String(req.headers["mcp-session-id"])) ?? (await open());
        await transport.handleRequest(req, res, body);
      })();
    }),
  );
}

/** Fastmcp from the folder PEERS, where somebody has installed it: too large a tree to carry for one comparison. */
async function fastmcp(): Promise<void> {
  const peers = createRequire(join(process.env["PEERS"] ?? process.cwd(), "package.json"));
  const { FastMCP } = (await import(pathToFileURL(peers.resolve("fastmcp")).href)) as {
    FastMCP: new (options: object) => { addTool(tool: object): void; start(options: object): Promise<void> };
  };
  const server = new FastMCP({ name: "peer", version: "1.0.0" });
  for (const tool of names) {
    server.addTool({
      name: tool,
      description: "Echoes.",
      parameters: input,
      execute: async ({ text }: { text: string }) => JSON.stringify(echo(text)),
    });
  }
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  await server.start({ transportType: "httpStream", httpStream: { port, host: "127.0.0.1" } });
  ready(port);
}

/** One document that changes when it is told to. */
function createWatched(): { provider: ResourceProvider; update(): void } {
  const listeners = new Set<(uri: string) => void>();
  const uri = "bench://reading";
  return {
    update: () => listeners.forEach((listener) => listener(uri)),
    provider: {
      scheme: "bench",
      list: () => [{ uri, name: "reading" }],
      read: () => Promise.resolve({ uri, mimeType: "text/plain", text: "21.5" }),
      onUpdated(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  };
}

async function steading(): Promise<void> {
  const clock = createRealClock();
  const tokens = createAccessTokens({ ledger: createMemoryLedger({ clock }), clock });
  const { token } = await tokens.create({ principal: "bench", role: "admin", label: "bench" });
  const toolset: Toolset = {
    name: "devices",
    tools: names.map((name) =>
      defineTool({
        name,
        title: name,
        summary: "Echoes.",
        input,
        intent: "READ_ONLY",
        minimumRole: "viewer",
        handler: ({ text }) => echo(text),
      }),
    ),
  };
  const door = { perform: () => Promise.reject(new Error("no door")) };
  const open = {
    anonymous: { principal: "bench", role: "admin" },
    authenticate: () => Promise.resolve(undefined),
  } as const;
  const watched = createWatched();
  process.on("message", (question) => question === "update" && watched.update());
  const server = createServer({
    dispatcher: createDispatcher({ toolsets: [toolset], door, clock, log: silentLog }),
    resources: [watched.provider],
    authenticator: variant === "steading-open" ? open : tokens,
    info: { name: "steading", version: "1" },
    instructions: "",
    clock,
    log: silentLog,
    health: () => ({ status: "ok" }),
    hotPath: variant !== "steading-sdk-leg",
    limits: variant === "steading-crowd" ? { resourceUpdatedEvery: millis(1) } : LIMITS_FOR_ONE,
  });
  process.on("message", (question) => question === "metrics" && process.send?.(server.metrics()));
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  const crowd: string[] = [];
  for (let n = 0; variant === "steading-crowd" && n < CROWD; n++)
    crowd.push((await tokens.create({ principal: `caller ${n}`, role: "viewer", label: "crowd" })).token);
  ready(port, variant === "steading-open" ? {} : { authorization: `Bearer ${token}` }, crowd);
}

const CROWD = 100;

/** One client stands for many here, and asks for each change to be announced. */
const LIMITS_FOR_ONE = {
  calls: 100_000,
  callsPerPrincipal: 100_000,
  sessions: 100_000,
  sessionsPerPrincipal: 100_000,
  streams: 100_000,
  streamsPerPrincipal: 100_000,
  resourceUpdatedEvery: millis(1),
};

const variants: Record<string, () => void | Promise<void>> = {
  raw,
  "sdk-low": sdkLow,
  "sdk-high": sdkHigh,
  "sdk-old": sdkOld,
  fastmcp,
  steading,
  "steading-open": steading,
  "steading-crowd": steading,
  "steading-sdk-leg": steading,
  "steading-2025": steading,
};
const start = variants[variant];
if (start === undefined) throw new Error(`There is no variant ${variant}`);
await start();
