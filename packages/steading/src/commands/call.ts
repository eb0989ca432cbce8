import { text } from "node:stream/consumers";
import {
  Client,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type Transport,
} from "@modelcontextprotocol/client";
import { isJsonObject, SteadingError, type JsonObject, type Role } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import { connectToHub } from "../local/hub-socket.ts";
import { createSocketTransport } from "../local/socket-transport.ts";
import { dataDirectory, socketPath } from "../settings/data-directory.ts";
import { readEnvironment, type Environment } from "../settings/environment.ts";
import type { World } from "../world.ts";

export interface CallFlags {
  readonly data?: string;
  readonly url?: string;
  readonly token?: string;
  readonly role?: Role;
  readonly json?: true;
}

/** Runs one tool on a running hub and prints its answer; a tool's error goes to standard error. */
export async function call(tool: string, json: string, flags: CallFlags, world: World): Promise<number> {
  const environment = readEnvironment(world.variables);
  const input = parseArguments(json === "-" ? await text(world.stdin) : json);
  const client = new Client({ name: "steading-call", version: "1" }, { versionNegotiation: { mode: "auto" } });
  try {
    await client.connect(await reachHub(flags, environment));
    const answer = await client.callTool({ name: tool, arguments: input }, { signal: world.stop });
    return print(answer, flags, world);
  } catch (error) {
    throw translate(error, flags);
  } finally {
    await client.close();
  }
}

async function reachHub(flags: CallFlags, environment: Environment): Promise<Transport> {
  if (flags.url !== undefined) return overHttp(flags.url, flags.token ?? environment.token);
  const data = dataDirectory(flags.data, environment);
  const socket = await connectToHub({ path: socketPath(data), role: flags.role ?? environment.role ?? "operator" });
  if (!socket) {
    throw new SteadingError("NO_HUB", `No hub is running on ${data}.`, {
      hint: "Start one with `steading start`, give its --data directory, or reach it with --url and a token.",
    });
  }
  return createSocketTransport(socket);
}

function overHttp(url: string, token: string | undefined): Transport {
  if (!URL.canParse(url)) throw usage(`--url ${url} is not an address; give one like http://127.0.0.1:3000/mcp.`);
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

function parseArguments(source: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw usage(`The arguments are not JSON: ${source.slice(0, 80)}`);
  }
  if (!isJsonObject(value)) throw usage('The arguments must be one JSON object, for example \'{"path":"/"}\'.');
  return value;
}

function print(answer: Awaited<ReturnType<Client["callTool"]>>, flags: CallFlags, { stdout, stderr }: World): number {
  const words = answer.content.map((block) => (block.type === "text" ? block.text : JSON.stringify(block))).join("\n");
  if (answer.isError === true) {
    stderr.write(`${words}\n`);
    return refusedBy(words) ? EXIT.refused : EXIT.toolError;
  }
  const structured = answer.structuredContent;
  if (flags.json) stdout.write(`${structured === undefined ? words : JSON.stringify(structured)}\n`);
  else stdout.write(`${structured === undefined ? words : JSON.stringify(structured, null, 2)}\n`);
  return EXIT.ok;
}

/** Every contract's error is a JSON object with a code. */
function refusedBy(words: string): boolean {
  try {
    const error: unknown = JSON.parse(words);
    return isJsonObject(error) && error["code"] === "ACCESS_DENIED";
  } catch {
    return false;
  }
}

/** The client wraps what happened on the wire in what it was doing at the time; the innermost cause decides. */
function translate(error: unknown, flags: CallFlags): unknown {
  const chain = [...causes(error)];
  if (error instanceof SteadingError) return error;
  if (chain.some(isRefusal)) {
    return new SteadingError("HUB_REFUSED", "The hub did not accept the token.", {
      hint: "Give a valid one with STEADING_TOKEN or --token; `steading start` prints the first one once.",
      cause: error,
    });
  }
  // `fetch` says TypeError for everything that kept it from getting an answer at all.
  if (flags.url !== undefined && chain.some((each) => each instanceof TypeError)) {
    return new SteadingError("NO_HUB", `No hub answers at ${flags.url}.`, { cause: error });
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

function usage(message: string): SteadingError {
  return new SteadingError("USAGE", message);
}
