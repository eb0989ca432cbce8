import { chmod, lstat, unlink } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { isMainThread } from "node:worker_threads";
import type { Clock, Dispatcher, Log } from "@steading/kernel";
import type { Limits } from "../limits/limits.ts";
import { shellError } from "../shell-errors.ts";
import { readHello } from "./hello.ts";
import { readView } from "./read-view.ts";
import type { ServedStream, ServeStream } from "./serve-streams.ts";

export interface LocalSocket {
  readonly path: string;
  close(): Promise<void>;
}

/**
 * MCP for programs of the same user, through a socket file that nobody else may open. The file's owner is trusted, as
 * the parent process is on stdio, and picks its role and which tools it sees with one hello line.
 */
export async function serveSocket({
  path,
  serveStream,
  dispatcher,
  clock,
  log,
  limits,
  onRefused = () => {},
}: {
  readonly path: string;
  readonly dispatcher: Pick<Dispatcher, "hasToolset">;
  readonly serveStream: (stream: ServeStream) => ServedStream;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  /** There were too many connections for one more. */
  onRefused?(): void;
}): Promise<LocalSocket> {
  await removeStale(path);
  const open = new Set<Socket>();
  const served = new Set<ServedStream>();
  const server = createServer((socket) => {
    if (open.size >= limits.socketConnections) {
      onRefused();
      return void socket.destroy();
    }
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => socket.destroy());
    void welcome(socket);
  });

  async function welcome(socket: Socket): Promise<void> {
    const hello = await readHello(socket, clock, limits.helloTimeout);
    const view = hello === undefined ? undefined : readView(hello.view, dispatcher);
    if (hello === undefined || view === undefined) return void socket.end(hello === undefined ? NO_HELLO : NO_VIEW);
    const identity = { principal: "local", role: hello.role, transport: "socket" } as const;
    const stream = serveStream({
      input: socket,
      output: socket,
      identity,
      window: { view, names: "dotted" },
    });
    served.add(stream);
    await stream.ended;
    served.delete(stream);
    socket.end();
  }

  await listenPrivately(server, path);
  log.info("Serving local programs.", { socket: path });
  return {
    path,
    async close() {
      const gone = new Promise((resolve) => server.close(resolve));
      await Promise.all([...served].map((stream) => stream.close()));
      for (const socket of open) socket.destroy();
      await gone;
    },
  };
}

const NO_HELLO = refusal('The first line must be {"steading":1,"role":"viewer|operator|admin"}');
const NO_VIEW = refusal("The view is `all`, `essential` or a toolset, and this is none of them");

function refusal(message: string): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32600, message } })}\n`;
}

async function listenPrivately(server: Server, path: string): Promise<void> {
  // The file must never be open to others, not even for the moment until chmod; threads cannot set the mask.
  const before = isMainThread ? process.umask(0o177) : undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, resolve);
      if (before !== undefined) process.umask(before);
    });
  } catch (cause) {
    throw shellError("LISTEN_REFUSED", `The socket ${path} cannot be opened.`, { cause, details: { path } });
  }
  await chmod(path, 0o600);
}

/** A socket file without anybody behind it is left from a hub that was killed. Any other file is not ours to remove. */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === "ENOENT") return undefined;
    throw shellError("LISTEN_REFUSED", `The socket ${path} cannot be opened.`, { cause: fault, details: { path } });
  });
  if (found === undefined) return;
  if (!found.isSocket())
    throw shellError("LISTEN_REFUSED", `${path} exists and is not a socket.`, { details: { path } });
  if (await answers(path)) throw shellError("SOCKET_TAKEN", `Another hub serves ${path}.`, { details: { path } });
  await unlink(path);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.on("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.on("error", () => resolve(false));
  });
}
