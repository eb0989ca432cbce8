import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client2025 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as StreamableHTTPClientTransport2025 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { recordOutput } from "./run-record.ts";

/** What the seed's six test steps need of a client, whatever its age. */
export interface FarmClient {
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  tools(): Promise<readonly { readonly name: string; readonly description?: string | undefined }[]>;
  resources(): Promise<readonly { readonly uri: string }[]>;
  /** The first text block, as the seed's client reads it. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<{ isError: boolean; json: unknown }>;
  read(uri: string): Promise<{ mimeType: string | undefined; json: unknown }>;
  /** From here on, `heard` has every update of this resource. */
  subscribe(uri: string): Promise<readonly Update[]>;
  close(): Promise<void>;
}

export interface Update {
  readonly uri: string;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
}

const IDENTITY = { name: "a64", version: "1.0.0" };

const bearer = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

/** The 2026 client over Streamable HTTP; it listens instead of subscribing. */
export async function connectFarm2026(mcp: string, token: string): Promise<FarmClient> {
  const client = new Client(IDENTITY, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const heard: Update[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params: { uri, _meta } }) => {
    heard.push({ uri, meta: _meta });
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp), bearer(token)));
  return {
    serverInfo: client.getServerVersion(),
    tools: async () => (await client.listTools()).tools,
    resources: async () => (await client.listResources()).resources,
    call: async (name, args) => answerOf(await client.callTool({ name, arguments: args })),
    read: async (uri) => contentOf(await client.readResource({ uri })),
    async subscribe(uri) {
      await client.listen({ resourceSubscriptions: [uri] });
      return heard;
    },
    close: () => client.close(),
  };
}

/** The first generation of the official client over Streamable HTTP. */
export function connectFarm2025(mcp: string, token: string): Promise<FarmClient> {
  // The class declares `sessionId` looser than its own interface allows under exactOptionalPropertyTypes.
  return connectOld(new StreamableHTTPClientTransport2025(new URL(mcp), bearer(token)) as Transport);
}

/** The seed's own transport: SSE, with the token in the header of the opening GET and in nothing else. */
export function connectFarmSse(mcp: string, token: string): Promise<FarmClient> {
  const withToken = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  return connectOld(new SSEClientTransport(new URL(mcp), { eventSourceInit: { fetch: withToken } }));
}

async function connectOld(transport: Transport): Promise<FarmClient> {
  const client = new Client2025(IDENTITY);
  const heard: Update[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params: { uri, _meta } }) => {
    heard.push({ uri, meta: _meta });
  });
  await client.connect(transport);
  return {
    serverInfo: client.getServerVersion(),
    tools: async () => (await client.listTools()).tools,
    resources: async () => (await client.listResources()).resources,
    call: async (name, args) => answerOf(await client.callTool({ name, arguments: args })),
    read: async (uri) => contentOf(await client.readResource({ uri })),
    async subscribe(uri) {
      await client.subscribeResource({ uri });
      return heard;
    },
    close: () => client.close(),
  };
}

function answerOf(result: object): { isError: boolean; json: unknown } {
  const { content, isError } = result as { content: readonly { text?: string }[]; isError?: boolean };
  const text = content[0]?.text ?? "";
  if (isError === true) recordOutput("errors", text);
  return { isError: isError === true, json: JSON.parse(text) as unknown };
}

function contentOf(result: object): { mimeType: string | undefined; json: unknown } {
  const [first] = (result as { contents: readonly { mimeType?: string; text?: string }[] }).contents;
  return { mimeType: first?.mimeType, json: JSON.parse(first?.text ?? "null") as unknown };
}
