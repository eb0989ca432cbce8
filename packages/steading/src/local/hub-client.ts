import {
  Client,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type CallToolResult,
  type Transport,
} from "@modelcontextprotocol/client";
import { isJsonObject, minutes, SteadingError, type JsonObject, type Role } from "@steading/kernel";
import { dataDirectory, socketPath } from "../settings/data-directory.ts";
import { readEnvironment, type Environment } from "../settings/environment.ts";
import type { World } from "../world.ts";
import { connectToHub } from "./hub-socket.ts";
import { createProgressLine } from "./progress-line.ts";
import { createSocketTransport } from "./socket-transport.ts";

/** Which hub a command means, and as whom it comes. */
export interface HubAddress {
  readonly data?: string;
  readonly url?: string;
  readonly token?: string;
  readonly role?: Role;
}

export interface HubClient {
  /** What the tool answered, as it came. */
  call(tool: string, input: JsonObject): Promise<CallToolResult>;
  /** The tool's answer; its error is thrown with its own code. */
  ask(tool: string, input: JsonObject): Promise<JsonObject>;
}

/** Tools have deadlines of their own; this only keeps a command from waiting for a hub that hangs. */
const PATIENCE = minutes(30);

/** Connects to a running hub, lets `use` talk to it, and always leaves. */
export async function withHub<T>(
  address: HubAddress,
  { variables, stop, stderr }: Pick<World, "variables" | "stop" | "stderr">,
  use: (hub: HubClient) => Promise<T>,
  at: (data: string) => string = socketPath,
): Promise<T> {
  return overTransport(await reachHub(address, readEnvironment(variables), at), { address, stop, stderr }, use);
}

export async function overTransport<T>(
  transport: Transport,
  { address, stop, stderr }: { readonly address: HubAddress } & Pick<World, "stop" | "stderr">,
  use: (hub: HubClient) => Promise<T>,
): Promise<T> {
  const progress = createProgressLine(stderr);
  const client = new Client({ name: "steading-command", version: "1" }, { versionNegotiation: { mode: "auto" } });
  async function call(tool: string, input: JsonObject): Promise<CallToolResult> {
    try {
      const options = { signal: stop, timeout: PATIENCE, ...(progress && { onprogress: progress.show }) };
      return await client.callTool({ name: tool, arguments: input }, options);
    } catch (error) {
      throw translate(error, address);
    } finally {
      progress?.clear();
    }
  }
  try {
    await client.connect(transport);
    return await use({
      call,
      async ask(tool, input) {
        const answer = await call(tool, input);
        if (answer.isError === true) throw errorOf(answer);
        return isJsonObject(answer.structuredContent) ? answer.structuredContent : {};
      },
    });
  } catch (error) {
    throw translate(error, address);
  } finally {
    await client.close();
  }
}

export function wordsOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : JSON.stringify(block))).join("\n");
}

/** The error a tool answered, with its own code: every contract's is a JSON object with `error` and `code`. */
export function errorOf(answer: CallToolResult): SteadingError {
  const words = wordsOf(answer);
  const { error, code, hint, retryable, ...details } = parsed(words);
  if (typeof code !== "string") return new SteadingError("CALL_FAILED", words);
  return new SteadingError(code, typeof error === "string" ? error : words, {
    details,
    retryable: retryable === true,
    ...(typeof hint === "string" && { hint }),
  });
}

function parsed(words: string): JsonObject {
  try {
    const value: unknown = JSON.parse(words);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

async function reachHub(address: HubAddress, environment: Environment, at: (data: string) => string) {
  if (address.url !== undefined) return overHttp(address.url, address.token ?? environment.token);
  const data = dataDirectory(address.data, environment);
  const socket = await connectToHub({ path: at(data), role: address.role ?? environment.role ?? "operator" });
  if (!socket) {
    throw new SteadingError("NO_HUB", `No hub is running on ${data}.`, {
      hint: "Start one with `steading start`, give its --data directory, or reach it with --url and a token.",
    });
  }
  return createSocketTransport(socket);
}

function overHttp(url: string, token: string | undefined): Transport {
  if (!URL.canParse(url))
    throw new SteadingError("USAGE", `--url ${url} is not an address; give one like http://127.0.0.1:3000/mcp.`);
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

/** The client wraps what happened on the wire in what it was doing at the time; the innermost cause decides. */
function translate(error: unknown, { url }: HubAddress): unknown {
  if (error instanceof SteadingError) return error;
  const chain = [...causes(error)];
  if (chain.some(isRefusal)) {
    return new SteadingError("HUB_REFUSED", "The hub did not accept the token.", {
      hint: "Give a valid one with STEADING_TOKEN or --token; `steading start` prints the first one once.",
      cause: error,
    });
  }
  // `fetch` says TypeError for everything that kept it from getting an answer at all.
  if (url !== undefined && chain.some((each) => each instanceof TypeError)) {
    return new SteadingError("NO_HUB", `No hub answers at ${url}.`, { cause: error });
  }
  return new SteadingError("CALL_FAILED", error instanceof Error ? error.message : String(error), { cause: error });
}

function isRefusal(error: unknown): boolean {
  if (error instanceof UnauthorizedError) return true;
  return error instanceof SdkHttpError && (error.status === 401 || error.status === 403);
}

function* causes(error: unknown): Iterable<unknown> {
  const MOST = 10; // a chain that closes on itself
  let each = error;
  for (let depth = 0; each !== undefined && depth < MOST; depth += 1) {
    yield each;
    each = each instanceof Error ? each.cause : undefined;
  }
}
