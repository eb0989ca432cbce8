import { connect, type Socket } from "node:net";
import { parseArgs } from "node:util";
import { modernRequest, openConnection, sessionRequest, startChild, type Child } from "./shell-load-peer.ts";

// What long-lived clients cost: memory per idle 2025 session and per listen stream, one change told to all of them, and
// readers that never read. The server is a process of its own; its memory is read after a collection.

const { values: flags } = parseArgs({
  options: {
    clients: { type: "string", default: "100,1000" },
    sessions: { type: "string", default: "" },
    stalled: { type: "string", default: "20" },
  },
});
const server = new URL("./shell-server-peer.ts", import.meta.url);
const KB = 1024;
/** As many requests as the server lets a client send before it reads. */
const AHEAD = 16;

async function sessions(count: number): Promise<void> {
  const child = await startChild(server, ["steading-2025", "100"]);
  const { port, headers = {} } = child.served;
  await sessionRequest(port, "ping", {}, headers);
  const before = await child.memory();
  for (let i = 0; i < count; i++) await sessionRequest(port, "ping", {}, headers);
  const after = await child.memory();
  console.log(
    `${String(count).padStart(5)} idle 2025 sessions      ${perClient(before.heap, after.heap, count)} heap, ${perClient(before.rss, after.rss, count)} resident each`,
  );
  await child.stop();
}

async function listeners(count: number): Promise<void> {
  const child = await startChild(server, ["steading", "100"]);
  const before = await child.memory();
  const streams = await Promise.all(Array.from({ length: count }, (_, n) => listen(child, n)));
  const after = await child.memory();
  console.log(
    `${String(count).padStart(5)} listen streams          ${perClient(before.heap, after.heap, count)} heap, ${perClient(before.rss, after.rss, count)} resident each`,
  );
  // The first hundred run in code that is not compiled yet, and cost more than twice as much.
  for (let warmUp = 0; warmUp < 100; warmUp++) await update(child, streams);
  const cpuBefore = await child.cpu();
  const started = performance.now();
  const rounds = 100;
  for (let round = 0; round < rounds; round++) await update(child, streams);
  const wall = (performance.now() - started) / rounds;
  const cpu = ((await child.cpu()) - cpuBefore) / rounds / count;
  console.log(
    `${String(count).padStart(5)} hear of one change      ${cpu.toFixed(1)} µs CPU a listener, ${wall.toFixed(1)} ms until the last has it`,
  );
  for (const stream of streams) stream.socket.destroy();
  await child.stop();
}

interface Stream {
  readonly socket: Socket;
  heard: number;
  onHeard?: (() => void) | undefined;
}

async function listen(child: Child, n: number): Promise<Stream> {
  const socket = connect(child.served.port, "127.0.0.1");
  const stream: Stream = { socket, heard: 0 };
  await new Promise<void>((resolve) => {
    socket.on("data", (data) => {
      if (data.includes("subscriptions/acknowledged")) resolve();
      if (!data.includes("resources/updated")) return;
      stream.heard++;
      stream.onHeard?.();
    });
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["bench://reading"] };
    socket.write(modernRequest("subscriptions/listen", { notifications }, child.served.headers, n + 1));
  });
  return stream;
}

async function update(child: Child, streams: readonly Stream[]): Promise<void> {
  const all = Promise.all(
    streams.map(
      (stream) =>
        new Promise<void>((resolve) => {
          stream.onHeard = () => {
            stream.onHeard = undefined;
            resolve();
          };
        }),
    ),
  );
  // A pause of the thinning must be over before the next change is told at once again.
  await new Promise((resolve) => setTimeout(resolve, 5));
  child.send("update");
  await all;
}

async function stalled(count: number): Promise<void> {
  const child = await startChild(server, ["steading", "1000"]);
  const before = await child.memory();
  const sockets = await Promise.all(Array.from({ length: count }, () => openConnection(child.served.port)));
  // Lists of a thousand tools, asked for without ever reading an answer.
  const silent = Array.from({ length: count }, () => {
    const socket = connect(child.served.port, "127.0.0.1");
    socket.pause();
    socket.on("error", () => {});
    for (let i = 0; i < AHEAD; i++) socket.write(modernRequest("tools/list", {}, child.served.headers, i + 1));
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const started = performance.now();
  await sockets[0]?.call(
    modernRequest("tools/call", { name: "device.0001.echo", arguments: { text: "hi" } }, child.served.headers),
  );
  const other = performance.now() - started;
  const after = await child.memory();
  console.log(
    `${String(count).padStart(5)} readers that never read ${perClient(before.rss, after.rss, count)} resident each; another client's call took ${other.toFixed(1)} ms`,
  );
  for (const socket of silent) socket.destroy();
  for (const socket of sockets) socket.close();
  await child.stop();
}

function perClient(before: number, after: number, count: number): string {
  return `${((after - before) / count / KB).toFixed(1)} KB`;
}

for (const count of flags.clients.split(",").map(Number)) {
  await sessions(count);
  await listeners(count);
}
if (flags.sessions !== "") await sessions(Number(flags.sessions));
await stalled(Number(flags.stalled));
