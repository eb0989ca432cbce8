import { fork, type ChildProcess } from "node:child_process";
import { connect, type Socket } from "node:net";

// A client that costs little enough not to be what is measured: one socket per call in flight, requests made once.

export interface Served {
  readonly port: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of many callers, where there are many. */
  readonly tokens?: readonly string[];
  readonly startMs: number;
}

export interface Child {
  readonly served: Served;
  /** Microseconds of processor time so far. */
  cpu(): Promise<number>;
  /** Bytes after a collection. */
  memory(): Promise<{ readonly rss: number; readonly heap: number }>;
  ask<T>(question: string): Promise<T>;
  send(message: string): void;
  stop(): Promise<void>;
}

/** Starts a server in a process of its own, so that its processor time is its own. */
export async function startChild(file: URL, args: readonly string[]): Promise<Child> {
  // What was built, not the source: the loader that strips types would add its own cost to every closure.
  const execArgv = ["--import", "tsx", "--expose-gc"];
  const child = fork(file, args, { execArgv, stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const served = await answerTo<Served>(child);
  const ask = async <T>(question: string): Promise<T> => {
    const answer = answerTo<T>(child);
    child.send(question);
    return answer;
  };
  return {
    served,
    ask,
    send: (message) => void child.send(message),
    cpu: () => ask("cpu"),
    memory: () => ask("memory"),
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill();
      }),
  };
}

function answerTo<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null): void => reject(new Error(`The server ended with ${code}`));
    child.once("exit", gone);
    child.once("message", (message) => {
      child.off("exit", gone);
      resolve(message as T);
    });
  });
}

export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuMicros: number;
  readonly bytes: number;
}

/** Calls as fast as the answers come, `inFlight` at a time. */
export async function load(
  child: Child,
  requestOf: (connection: number) => Buffer,
  { inFlight, seconds }: { inFlight: number; seconds: number },
): Promise<Load> {
  const connections = await Promise.all(Array.from({ length: inFlight }, () => openConnection(child.served.port)));
  const warmUp = performance.now() + Math.min(1_000, seconds * 500);
  await Promise.all(connections.map((connection, n) => callUntil(connection, requestOf(n), warmUp, [])));
  const latencies: number[] = [];
  const cpuBefore = await child.cpu();
  const started = performance.now();
  await Promise.all(
    connections.map((connection, n) => callUntil(connection, requestOf(n), started + seconds * 1_000, latencies)),
  );
  const elapsed = (performance.now() - started) / 1_000;
  const cpu = (await child.cpu()) - cpuBefore;
  const bytes = await connections[0]?.call(requestOf(0));
  for (const connection of connections) connection.close();
  latencies.sort((a, b) => a - b);
  return {
    perSecond: latencies.length / elapsed,
    p50: latencies[Math.floor(latencies.length / 2)] ?? Number.NaN,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    cpuMicros: cpu / latencies.length,
    bytes: bytes ?? 0,
  };
}

/** Calls until the server's code is compiled: a number of calls, and not so many seconds, which a busy machine wastes. */
export async function warmUp(child: Child, requestOf: (connection: number) => Buffer, calls: number): Promise<void> {
  const connections = await Promise.all(Array.from({ length: 16 }, () => openConnection(child.served.port)));
  const until = performance.now() + WARM_UP_AT_MOST_MS;
  let left = calls;
  await Promise.all(
    connections.map(async (connection, n) => {
      while (left-- > 0 && performance.now() < until) await connection.call(requestOf(n));
      connection.close();
    }),
  );
}

/** For servers that would need minutes. */
const WARM_UP_AT_MOST_MS = 15_000;

async function callUntil(connection: Connection, request: Buffer, until: number, latencies: number[]): Promise<void> {
  while (performance.now() < until) {
    const sent = performance.now();
    await connection.call(request);
    latencies.push(performance.now() - sent);
  }
}

export interface Connection {
  /** Resolves with the size of the whole answer. Throws when its status is another than the one it was opened for. */
  call(request: Buffer): Promise<number>;
  readonly lastAnswer: string;
  close(): void;
}

export async function openConnection(port: number, status = "200"): Promise<Connection> {
  const socket: Socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let seen = Buffer.alloc(0);
  let answer = "";
  let waiting: { resolve(bytes: number): void; reject(reason: Error): void } | undefined;
  socket.on("data", (chunk) => {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const end = endOfAnswer(seen);
    if (end === undefined) return;
    answer = seen.toString("utf8", 0, end);
    seen = seen.subarray(end);
    const { resolve, reject } = waiting ?? { resolve() {}, reject() {} };
    if (answer.startsWith(`HTTP/1.1 ${status}`)) resolve(end);
    else reject(new Error(answer));
  });
  return {
    call: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    get lastAnswer() {
      return answer;
    },
    close: () => socket.destroy(),
  };
}

/** Where a complete answer ends, for both ways of telling its length. */
function endOfAnswer(bytes: Buffer): number | undefined {
  const head = bytes.indexOf("\r\n\r\n");
  if (head < 0) return undefined;
  const headers = bytes.toString("latin1", 0, head);
  const length = /\r\ncontent-length: (\d+)/i.exec(headers)?.[1];
  if (length !== undefined) {
    const end = head + 4 + Number(length);
    return bytes.length >= end ? end : undefined;
  }
  const last = bytes.indexOf("\r\n0\r\n\r\n", head);
  return last < 0 ? undefined : last + 7;
}

const VERSION = "2026-07-28";

export function modernRequest(
  method: string,
  params: Record<string, unknown>,
  headers: Readonly<Record<string, string>> = {},
  id = 1,
): Buffer {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const name = typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {};
  return httpPost(
    { jsonrpc: "2.0", id, method, params: { ...params, _meta } },
    { "mcp-protocol-version": VERSION, "mcp-method": method, ...name, ...headers },
  );
}

export function httpPost(body: unknown, headers: Readonly<Record<string, string>>): Buffer {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    host: "127.0.0.1",
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": String(Buffer.byteLength(text)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST /mcp HTTP/1.1\r\n${lines.join("")}\r\n${text}`);
}

export function httpGet(path: string, headers: Readonly<Record<string, string>> = {}): Buffer {
  const lines = Object.entries({ host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
}

/** Opens a 2025 session and returns what makes a request inside it; ids must not meet while they are in flight. */
export async function sessionRequest(
  port: number,
  method: string,
  params: Record<string, unknown>,
  headers: Readonly<Record<string, string>> = {},
): Promise<(id: number) => Buffer> {
  const connection = await openConnection(port);
  const initialize = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
  await connection.call(httpPost({ jsonrpc: "2.0", id: 0, method: "initialize", params: initialize }, headers));
  const session = /\r\nmcp-session-id: (\S+)/i.exec(connection.lastAnswer)?.[1];
  connection.close();
  const inSession = {
    ...headers,
    "mcp-protocol-version": "2025-06-18",
    ...(session === undefined ? {} : { "mcp-session-id": session }),
  };
  const told = await openConnection(port);
  await told.call(httpPost({ jsonrpc: "2.0", id: 0, method: "ping" }, inSession)).catch(() => {});
  told.close();
  return (id) => httpPost({ jsonrpc: "2.0", id: id + 1, method, params }, inSession);
}
