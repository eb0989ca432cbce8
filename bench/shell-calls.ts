import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { load, modernRequest, sessionRequest, startChild, warmUp, type Child, type Load } from "./shell-load-peer.ts";

// Calls of one echo tool among many, through the whole shell (guards, routing, role view, dispatcher, schemas), against
// a raw node:http JSON-RPC echo, the bare SDK in both of its classes, SDK version 1 and fastmcp. Each server has a process
// of its own; its processor time per call is the figure that a busy machine disturbs least.

const { values: flags } = parseArgs({
  options: {
    seconds: { type: "string", default: "2" },
    tools: { type: "string", default: "10,100,1000" },
    flight: { type: "string", default: "1,16,64" },
    repeat: { type: "string", default: "1" },
    warm: { type: "string", default: "5000" },
    only: { type: "string" },
  },
});
const seconds = Number(flags.seconds);
const numbers = (list: string): number[] => list.split(",").map(Number);
const server = new URL("./shell-server-peer.ts", import.meta.url);

interface Variant {
  readonly name: string;
  readonly what: string;
  request(child: Child, tool: string): Promise<(id: number) => Buffer>;
}
const args = { text: "the quick brown fox" };
const modern: Variant["request"] = async ({ served }, name) => {
  return (id) => modernRequest("tools/call", { name, arguments: args }, served.headers, id + 1);
};
const session: Variant["request"] = ({ served }, name) => {
  return sessionRequest(served.port, "tools/call", { name, arguments: args }, served.headers);
};

const variants: readonly Variant[] = [
  { name: "raw", what: "raw node:http echo", request: modern },
  { name: "steading-open", what: "steading, hot path, no auth", request: modern },
  { name: "steading", what: "steading, hot path, token", request: modern },
  { name: "steading-sdk-leg", what: "steading, SDK leg, token", request: modern },
  { name: "steading-2025", what: "steading, 2025 session, token", request: session },
  { name: "sdk-low", what: "SDK 2 Server, bare", request: modern },
  { name: "sdk-high", what: "SDK 2 McpServer, bare", request: modern },
  { name: "sdk-old", what: "SDK 1 McpServer, session", request: session },
  { name: "fastmcp", what: "fastmcp, session", request: session },
];

console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, best of ${flags.repeat} runs of ${seconds} s, each warmed up with ${flags.warm} calls`,
);
console.log("server                           tools  flight   calls/s   p50 ms   p99 ms   CPU µs/call   × raw");
const wanted = flags.only?.split(",");
for (const tools of numbers(flags.tools)) {
  const floor = new Map<number, number>();
  for (const variant of variants) {
    if (wanted !== undefined && variant.name !== "raw" && !wanted.includes(variant.name)) continue;
    const child = await startChild(server, [variant.name, String(tools)]).catch(() => undefined);
    if (child === undefined) {
      console.log(
        `${variant.what.padEnd(32)} ${String(tools).padStart(5)}   not measured: it did not start (is it installed?)`,
      );
      continue;
    }
    const request = await variant.request(child, `device.${String(Math.floor(tools / 2)).padStart(4, "0")}.echo`);
    // A server that runs for days has compiled its code long ago; so has each of these before it is measured.
    await warmUp(child, request, Number(flags.warm));
    for (const inFlight of numbers(flags.flight)) {
      const result = await best(() => load(child, request, { inFlight, seconds }));
      if (variant.name === "raw") floor.set(inFlight, result.cpuMicros);
      console.log(row(variant.what, tools, inFlight, result, floor.get(inFlight)));
    }
    await child.stop();
  }
}

/** On a machine that others use too, the least disturbed run tells most. */
async function best(run: () => Promise<Load>): Promise<Load> {
  let least = await run();
  for (let i = 1; i < Number(flags.repeat); i++) {
    const again = await run();
    if (again.cpuMicros < least.cpuMicros) least = again;
  }
  return least;
}

function row(
  what: string,
  tools: number,
  inFlight: number,
  { perSecond, p50, p99, cpuMicros }: Load,
  floor: number | undefined,
): string {
  const cells = [
    what.padEnd(32),
    String(tools).padStart(5),
    String(inFlight).padStart(7),
    perSecond.toFixed(0).padStart(9),
    p50.toFixed(3).padStart(8),
    p99.toFixed(3).padStart(8),
    cpuMicros.toFixed(1).padStart(13),
    floor === undefined ? "" : (cpuMicros / floor).toFixed(2).padStart(7),
  ];
  return cells.join(" ");
}
