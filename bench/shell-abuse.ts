import { connect, type Socket } from "node:net";
import { parseArgs } from "node:util";
import { httpPost, modernRequest, openConnection, startChild, type Child } from "./shell-load-peer.ts";

// What many clients that mean no good cost, with the limits of the product: sessions opened and never used, streams that
// are half open, readers that never read. Another client goes on calling meanwhile, and its times are the second figure.

const { values: flags } = parseArgs({
  options: {
    initialises: { type: "string", default: "10000" },
    streams: { type: "string", default: "2000" },
    readers: { type: "string", default: "64" },
    changes: { type: "string", default: "15000" },
  },
});
const server = new URL("./shell-server-peer.ts", import.meta.url);
const MB = 1024 * 1024;
/** As many requests as the server lets a client send before it reads. */
const AHEAD = 16;

interface Crowd {
  readonly child: Child;
  /** The credential of one of many callers, over and over. */
  bearer(n: number): Record<string, string>;
}

async function begin(): Promise<Crowd> {
  const child = await startChild(server, ["steading-crowd", "1000"]);
  const { tokens = [] } = child.served;
  return { child, bearer: (n) => ({ authorization: `Bearer ${tokens[n % tokens.length] ?? ""}` }) };
}

/** One of the server's own numbers, summed over its labels. */
async function metric({ child }: Crowd, name: string): Promise<number> {
  const text = await child.ask<string>("metrics");
  const lines = text.split("\n").filter((line) => line.startsWith(`steading_mcp_${name}`));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

/** Calls all the time, as somebody who has nothing to do with the rest. */
async function bystander({ child }: Crowd): Promise<() => Promise<string>> {
  const connection = await openConnection(child.served.port);
  const request = modernRequest(
    "tools/call",
    { name: "device.0001.echo", arguments: { text: "hi" } },
    child.served.headers,
  );
  const times: number[] = [];
  let over = false;
  const calling = (async () => {
    while (!over) {
      const sent = performance.now();
      await connection.call(request);
      times.push(performance.now() - sent);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return async () => {
    over = true;
    await calling;
    connection.close();
    times.sort((a, b) => a - b);
    const at = (part: number): string => (times[Math.floor(times.length * part)] ?? Number.NaN).toFixed(1);
    return `another's ${times.length} calls p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
  };
}

async function measured(what: string, run: (crowd: Crowd) => Promise<{ said: string; end(): void }>): Promise<void> {
  const crowd = await begin();
  const before = await crowd.child.memory();
  const done = await bystander(crowd);
  const started = performance.now();
  const { said, end } = await run(crowd);
  const took = ((performance.now() - started) / 1_000).toFixed(1);
  const others = await done();
  const during = await crowd.child.memory();
  end();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const after = await crowd.child.memory();
  const grown = (now: { rss: number; heap: number }): string =>
    `${((now.rss - before.rss) / MB).toFixed(0)} MB resident, ${((now.heap - before.heap) / MB).toFixed(1)} MB heap`;
  console.log(`${what}, ${took} s: ${said}`);
  console.log(`  grown by ${grown(during)}; afterwards by ${grown(after)}; ${others}`);
  await crowd.child.stop();
}

/** Sessions that are opened and left alone, from many callers at once. */
async function initialises(count: number): Promise<void> {
  await measured(`${count} initialises`, async ({ child, bearer }) => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "crowd", version: "1" } };
    let opened = 0;
    let refused = 0;
    let next = 0;
    const worker = async (): Promise<void> => {
      const connection = await openConnection(child.served.port);
      while (next < count) {
        const n = next++;
        const request = httpPost({ jsonrpc: "2.0", id: n, method: "initialize", params }, bearer(n));
        await connection.call(request).then(
          () => opened++,
          () => refused++,
        );
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: 32 }, worker));
    return { said: `${opened} opened, ${refused} told to come back later`, end() {} };
  });
}

/** Streams whose other end stands still, as after a cable was pulled: begun, and never read or closed. */
async function halfOpen(count: number): Promise<void> {
  await measured(`${count} half-open streams`, async (crowd) => {
    const { child, bearer } = crowd;
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["bench://reading"] };
    const sockets: Socket[] = [];
    for (let n = 0; n < count; n++) {
      const socket = connect(child.served.port, "127.0.0.1");
      sockets.push(socket);
      socket.on("error", () => {});
      socket.write(modernRequest("subscriptions/listen", { notifications }, bearer(n), n));
      // Nobody will ever read here, and nobody says so.
      socket.pause();
      if (n % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    for (let before = -1, now = 0; now > before;) {
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 500));
      now = await metric(crowd, "streams ");
    }
    for (let i = 0; i < 100; i++) {
      child.send("update");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const standing = await metric(crowd, "streams ");
    const said = `${standing} stand after 100 changes, ${await metric(crowd, "streams_refused_total")} were refused`;
    return { said, end: () => sockets.forEach((socket) => socket.destroy()) };
  });
}

/** Each asks for long lists and for every change, and reads none of it. */
async function neverReading(count: number, changes: number): Promise<void> {
  await measured(`${count} readers that never read`, async (crowd) => {
    const { child, bearer } = crowd;
    const notifications = { resourceSubscriptions: ["bench://reading"] };
    const sockets = Array.from({ length: count * 2 }, (_, n) => {
      const socket = connect(child.served.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.pause();
      if (n % 2 === 0) socket.write(modernRequest("subscriptions/listen", { notifications }, bearer(n), n));
      else for (let i = 0; i < AHEAD; i++) socket.write(modernRequest("tools/list", {}, bearer(n), i + 1));
      return socket;
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    for (let i = 0; i < changes; i++) {
      child.send("update");
      await new Promise((resolve) => setTimeout(resolve, 1)); // or they would be thinned out to a few
    }
    const cut = await metric(crowd, "streams_cut_total");
    const said = `${count} listen to ${changes} changes (${cut} cut), ${count} asked for ${AHEAD} lists of 1000 tools`;
    return { said, end: () => sockets.forEach((socket) => socket.destroy()) };
  });
}

await initialises(Number(flags.initialises));
await halfOpen(Number(flags.streams));
await neverReading(Number(flags.readers), Number(flags.changes));
