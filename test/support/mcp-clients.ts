import { Readable, type Stream } from "node:stream";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as Client2025 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioClientTransport2025 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as StreamableHTTPClientTransport2025 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { recordStream } from "./run-record.ts";
import { plainEnvironment, STEADING_COMMAND } from "./steading-command.ts";
import { toToolAnswer, type ToolCaller } from "./tool-caller.ts";

/** Where a client connects to: a hub's URL with a token, or the stdio command with its arguments. */
export type Connection =
  | { readonly over: "http"; readonly mcp: string; readonly token: string }
  | {
      readonly over: "stdio";
      readonly args: readonly string[];
      readonly environment?: Readonly<Record<string, string>>;
    };

/** Whoever sits at the client and is shown a form: reads the question, says yes or no. */
export type Person = (question: string) => { action: "accept"; content: { confirm: boolean } } | { action: "decline" };

const FORMS = { elicitation: { form: {} } };
const IDENTITY = { name: "steading-acceptance", version: "1.0.0" };
/** Longer than anything the hub may take on purpose; a call that hangs fails here and says so. */
const CALL_TIMEOUT_MS = 20_000;

/** The official client, offering the 2026-07-28 revision: `auto` lets the server choose, a pin accepts nothing else. */
export async function connect2026(
  connection: Connection,
  mode: "auto" | { readonly pin: "2026-07-28" },
  person?: Person,
): Promise<ToolCaller> {
  const client = new Client(IDENTITY, { versionNegotiation: { mode }, ...(person && { capabilities: FORMS }) });
  if (person) client.setRequestHandler("elicitation/create", ({ params }) => person(params.message));
  const transport =
    connection.over === "http"
      ? new StreamableHTTPClientTransport(new URL(connection.mcp), { requestInit: bearer(connection.token) })
      : recorded(new StdioClientTransport(stdioCommand(connection)));
  await client.connect(transport, { timeout: CALL_TIMEOUT_MS });
  return {
    revision: client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args) =>
      toToolAnswer(await client.callTool({ name, arguments: args }, { timeout: CALL_TIMEOUT_MS })),
    close: () => client.close(),
  };
}

/** The first generation of the official client: it knows the 2025 revisions only, with sessions. */
export async function connect2025(connection: Connection, person?: Person): Promise<ToolCaller> {
  const client = new Client2025(IDENTITY, person ? { capabilities: FORMS } : {});
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message));
  let revision: string | undefined;
  let endSession = async (): Promise<void> => {};
  if (connection.over === "http") {
    const transport = new StreamableHTTPClientTransport2025(new URL(connection.mcp), {
      requestInit: bearer(connection.token),
    });
    // The class declares `sessionId` looser than its own interface allows under exactOptionalPropertyTypes.
    await client.connect(transport as Parameters<typeof client.connect>[0], { timeout: CALL_TIMEOUT_MS });
    revision = transport.protocolVersion;
    endSession = () => transport.terminateSession();
  } else {
    const transport = recorded(new StdioClientTransport2025(stdioCommand(connection)));
    await client.connect(transport, { timeout: CALL_TIMEOUT_MS });
  }
  return {
    revision,
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args) =>
      toToolAnswer(await client.callTool({ name, arguments: args }, undefined, { timeout: CALL_TIMEOUT_MS })),
    async close() {
      await endSession();
      await client.close();
    },
  };
}

/** Every kind of client that must be served alike. */
export const CLIENTS: readonly { readonly name: string; connect(connection: Connection): Promise<ToolCaller> }[] = [
  { name: "a client pinned to 2026-07-28", connect: (connection) => connect2026(connection, { pin: "2026-07-28" }) },
  { name: "a client that negotiates", connect: (connection) => connect2026(connection, "auto") },
  { name: "a client of 2025", connect: (connection) => connect2025(connection) },
];

/** A pipe that nobody reads would fill up and hold the hub. */
function recorded<T extends { readonly stderr: Stream | null }>(transport: T): T {
  if (transport.stderr instanceof Readable) recordStream("logs", transport.stderr);
  return transport;
}

function bearer(token: string): { headers: Record<string, string> } {
  return { headers: { Authorization: `Bearer ${token}` } };
}

function stdioCommand(connection: Connection & { over: "stdio" }): {
  command: string;
  args: string[];
  env: Record<string, string>;
  stderr: "pipe";
} {
  return {
    command: process.execPath,
    args: [STEADING_COMMAND, "stdio", ...connection.args],
    env: { ...plainEnvironment(), ...connection.environment },
    stderr: "pipe",
  };
}
