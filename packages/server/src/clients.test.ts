import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { createRealClock, millis } from "@steading/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HAND_TOOLS } from "./testing/hand-tools.ts";
import { addMatrixTools } from "./testing/matrix-tools.ts";
import { startShell, type TestShell } from "./testing/start-shell.ts";

/** What any client can do, whoever wrote it and whatever it speaks. */
interface Driver {
  page(
    cursor?: string,
  ): Promise<{ readonly tools: readonly { readonly name: string }[]; readonly nextCursor?: string | undefined }>;
  call(name: string, options?: { readonly signal?: AbortSignal; onProgress?(done: number): void }): Promise<unknown>;
  read(uri: string): Promise<unknown>;
  subscribe(uri: string): Promise<void>;
  readonly heard: string[];
  close(): Promise<void>;
}

let shell: TestShell;
beforeAll(async () => {
  shell = await startShell({ limits: { toolsPerPage: 4, listChangedEvery: millis(10) }, clock: createRealClock() });
});
afterAll(() => shell.close());

const hub = {
  command: process.execPath,
  args: [
    "--conditions=@steading/source",
    "--import",
    "tsx",
    fileURLToPath(new URL("./testing/stdio-hub.ts", import.meta.url)),
  ],
};

type Transport = Parameters<Client["connect"]>[0];

async function official(transport: Transport, mode?: "auto" | { pin: string }): Promise<Driver> {
  const heard: string[] = [];
  const client = new Client(
    { name: "official", version: "1" },
    mode === undefined ? {} : { versionNegotiation: { mode } },
  );
  client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  await client.connect(transport);
  return {
    heard,
    page: (cursor) => client.request({ method: "tools/list", params: cursor === undefined ? {} : { cursor } }),
    call: (name, { signal, onProgress } = {}) =>
      client.callTool(
        { name },
        { ...(signal && { signal }), ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }) },
      ),
    read: (uri) => client.readResource({ uri }),
    async subscribe(uri) {
      if (client.getProtocolEra() === "modern")
        await client.listen({ resourceSubscriptions: [uri], toolsListChanged: true });
      else await client.subscribeResource({ uri });
    },
    close: () => client.close(),
  };
}

async function versionOne(): Promise<Driver> {
  const heard: string[] = [];
  const client = new OldClient({ name: "old", version: "1" });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push("tools"));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
  await client.connect(
    new OldTransport(shell.mcp, { requestInit: { headers: headers() } }) as Parameters<typeof client.connect>[0],
  );
  return {
    heard,
    page: (cursor) => client.listTools(cursor === undefined ? {} : { cursor }),
    call: (name, { signal, onProgress } = {}) =>
      client.callTool({ name }, undefined, {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
      }),
    read: (uri) => client.readResource({ uri }),
    subscribe: async (uri) => void (await client.subscribeResource({ uri })),
    close: () => client.close(),
  };
}

/** Nobody's library: lines written and read by hand, in the 2026 era. */
async function rawLines(): Promise<Driver> {
  const child = spawn(hub.command, hub.args, { stdio: ["pipe", "pipe", "inherit"] });
  const heard: string[] = [];
  const waiting = new Map<number, { resolve(result: unknown): void; reject(reason: unknown): void }>();
  const onProgress = new Map<number, (done: number) => void>();
  let lastId = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result, error, method, params } = JSON.parse(line) as {
      id?: number;
      result?: unknown;
      error?: unknown;
      method?: string;
      params?: Record<string, unknown>;
    };
    if (method === "notifications/progress")
      onProgress.get(Number(params?.["progressToken"]))?.(Number(params?.["progress"]));
    if (method === "notifications/tools/list_changed") heard.push("tools");
    if (method === "notifications/resources/updated") heard.push(String(params?.["uri"]));
    if (method === "notifications/subscriptions/acknowledged")
      waiting.get(Number(Object.values(params?.["_meta"] ?? {})[0]))?.resolve(params);
    if (id === undefined || method !== undefined) return;
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(error);
  });
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  function ask<T>(
    method: string,
    params: object,
    { signal, progress }: { signal?: AbortSignal; progress?(done: number): void } = {},
  ): Promise<T> {
    const id = ++lastId;
    if (progress !== undefined) onProgress.set(id, progress);
    return new Promise<T>((resolve, reject) => {
      waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      signal?.addEventListener("abort", () => {
        say({ method: "notifications/cancelled", params: { requestId: id, _meta: envelope } });
        reject(new Error("cancelled"));
      });
      say({ id, method, params: { ...params, _meta: { ...envelope, ...(progress && { progressToken: id }) } } });
    });
  }
  return {
    heard,
    page: (cursor) => ask("tools/list", cursor === undefined ? {} : { cursor }),
    call: (name, { signal, onProgress: progress } = {}) =>
      ask("tools/call", { name }, { ...(signal && { signal }), ...(progress && { progress }) }),
    read: (uri) => ask("resources/read", { uri }),
    subscribe: async (uri) =>
      void (await ask("subscriptions/listen", {
        notifications: { resourceSubscriptions: [uri], toolsListChanged: true },
      })),
    close: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.stdin.end();
      }),
  };
}

const headers = () => ({ Authorization: `Bearer ${shell.admin}` });
const http = () => new StreamableHTTPClientTransport(shell.mcp, { requestInit: { headers: headers() } });
const sse = () =>
  new SSEClientTransport(shell.mcp, {
    requestInit: { headers: headers() },
    eventSourceInit: {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...headers(), Accept: "text/event-stream" } }),
    },
  });
const stdio = () => new StdioClientTransport({ ...hub, stderr: "inherit" });

const drivers: [string, () => Promise<Driver>][] = [
  ["the official client, left to negotiate", () => official(http(), "auto")],
  ["the official client, pinned to 2026-07-28", () => official(http(), { pin: "2026-07-28" })],
  ["the official client in the 2025 era", () => official(http())],
  ["the version 1 client", versionOne],
  ["an HTTP+SSE client", () => official(sse())],
  ["the official client over stdio, 2026", () => official(stdio(), "auto")],
  ["the official client over stdio, 2025", () => official(stdio())],
  ["a raw stdio client", rawLines],
];

/** Removes what the eras may differ in: the fields of the 2026 one. */
function common(answer: unknown): unknown {
  const { resultType: _, _meta, ttlMs: __, cacheScope: ___, ...rest } = answer as Record<string, unknown>;
  return JSON.parse(JSON.stringify(rest));
}

const answers = new Map<string, unknown>();

// @proves mcp.instance.one-builder mcp.listen.fan-out mcp.cancel.legacy-notification mcp.cancel.modern-http mcp.cancel.stdio mcp.lists.same-pages-in-2025 mcp.listen.stdio-modern mcp.listen.stdio-legacy mcp.sessions.delivery-during-call mcp.progress.only-with-token
test.each(drivers)(
  "%s lists, pages, calls, reads, sees progress, cancels and subscribes",
  { timeout: 30_000 },
  async (name, connect) => {
    const overWire = !name.includes("stdio");
    // Each client starts from the same tools, though the clients over HTTP share a hub.
    if (overWire) {
      for (const { name: old } of shell.dispatcher.tools({ kind: "all" }, "admin")) shell.dispatcher.remove(old);
      shell.dispatcher.add(...HAND_TOOLS);
      addMatrixTools(shell);
    }
    const client = await connect();
    const first = await client.page();
    const second = await client.page(first.nextCursor);
    const third = await client.page(second.nextCursor);
    const names = [first, second, third].map(({ tools }) => tools.map((tool) => tool.name));
    const progress: number[] = [];
    const stepwise = await client.call("stepwise", {
      onProgress(done) {
        progress.push(done);
        void client.call("release");
      },
    });

    const aborter = new AbortController();
    const endless = client.call("endless", { signal: aborter.signal });
    endless.catch(() => {});
    await expect.poll(async () => client.call("stopped")).toMatchObject({ structuredContent: { stopped: 0 } });
    aborter.abort();
    await expect(endless).rejects.toBeDefined();
    await expect
      .poll(
        async () =>
          ((await client.call("stopped")) as { structuredContent: { stopped: number } }).structuredContent.stopped,
      )
      .toBe(1);

    await client.subscribe("test://doc/1");
    await client.call("touch");
    await client.call("grow");
    await expect.poll(() => new Set(client.heard)).toEqual(new Set(["test://doc/1", "tools"]));

    const seen = {
      names,
      more: [first, second, third].map(({ nextCursor }) => nextCursor !== undefined),
      progress,
      stepwise: common(stepwise),
      echo: common(await client.call("echo")),
      refused: common(await client.call("refuse")),
      document: common(await client.read("test://doc/1")),
      unknown: await client.call("nobody").then(
        () => "answered",
        (error: { code: number }) => error.code,
      ),
    };
    await client.close();
    answers.set(name, seen);
    expect(seen.unknown).toBe(-32602);
    expect(seen.progress).toEqual([1]);
    // Whoever asks, and however: the answers are the same.
    expect(seen).toEqual([...answers.values()][0]);
  },
);
