import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

// Round trips of one call over stdio in both eras, against a process that only parses a line and writes one back; and
// how long a hub with many tools takes from nothing to listening.

const { values: flags } = parseArgs({
  options: { calls: { type: "string", default: "3000" }, starts: { type: "string", default: "5" } },
});
const hub = fileURLToPath(new URL("./shell-start-peer.mjs", import.meta.url));
const ECHO = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id } = JSON.parse(line);
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } }) + "\\n");
});`;

interface Line {
  ask(message: object): Promise<unknown>;
  end(): void;
}

function open(args: readonly string[]): Line {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let answered: ((message: unknown) => void) | undefined;
  createInterface({ input: child.stdout }).on("line", (line) => answered?.(JSON.parse(line)));
  return {
    ask: (message) =>
      new Promise((resolve) => {
        answered = resolve;
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      }),
    end: () => void child.stdin.end(),
  };
}

async function roundTrips(what: string, line: Line, message: (id: number) => object): Promise<void> {
  const times: number[] = [];
  for (let id = 10; id < 10 + Number(flags.calls); id++) {
    const sent = performance.now();
    await line.ask(message(id));
    times.push(performance.now() - sent);
  }
  line.end();
  const sorted = times.slice(Math.floor(times.length / 5)).toSorted((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor(sorted.length * part)] ?? Number.NaN).toFixed(3);
  console.log(`${what.padEnd(28)} p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
}

const call = { name: "device.0005.echo", arguments: { text: "the quick brown fox" } };
const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

await roundTrips("a line parsed and written", open(["-e", ECHO]), (id) => ({ id, method: "tools/call", params: call }));
await roundTrips("2026 era", open([hub, "stdio", "100"]), (id) => ({
  id,
  method: "tools/call",
  params: { ...call, _meta },
}));
const old = open([hub, "stdio", "100"]);
await old.ask({
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
});
await roundTrips("2025 era", old, (id) => ({ id, method: "tools/call", params: call }));

for (const tools of [10, 100, 1000]) {
  const starts: { imported: number; ready: number }[] = [];
  for (let i = 0; i < Number(flags.starts); i++) {
    const child = spawn(process.execPath, [hub, "http", String(tools)], { stdio: ["ignore", "pipe", "inherit"] });
    const [first] = (await Promise.all([
      new Promise((resolve) => createInterface({ input: child.stdout }).once("line", resolve)),
      new Promise((resolve) => child.once("exit", resolve)),
    ])) as [string, unknown];
    starts.push(JSON.parse(first) as { imported: number; ready: number });
  }
  const best = starts.toSorted((a, b) => a.ready - b.ready)[0];
  console.log(
    `start with ${String(tools).padStart(4)} tools        ${best?.ready.toFixed(0)} ms from nothing to listening, ${((best?.ready ?? 0) - (best?.imported ?? 0)).toFixed(0)} of them after loading the code`,
  );
}
