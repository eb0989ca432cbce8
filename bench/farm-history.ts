import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { httpGet, load, startChild, warmUp, type Child } from "./shell-load-peer.ts";

// The past of one device, over the whole hub's REST: its newest page with the statistics of everything, and charts, while
// the number of readings grows a hundredfold. The peer of the same run is the usual table (equipment_id, timestamp) in
// SQLite behind node:http; it answers from the readings alone, and without accounts or checks.

const { values: flags } = parseArgs({
  options: { rows: { type: "string", default: "10000000" }, seconds: { type: "string", default: "2" } },
});
const most = Number(flags.rows);
const file = new URL("./farm-hub-peer.ts", import.meta.url);
const DAY = 86_400_000;
const since = (days: number): string => encodeURIComponent(new Date(Date.now() - days * DAY).toISOString());

interface Question {
  readonly name: string;
  readonly path: string;
  /** What the peer is asked instead; undefined: nothing alike. */
  readonly peer?: string;
}
const questions: readonly Question[] = [
  { name: "newest 25, statistics of all", path: "/api/equipment/1/history", peer: "/" },
  { name: "newest 25 of a day, its statistics", path: `/api/equipment/1/history?from=${since(1)}` },
  { name: "chart of an hour, raw", path: `/api/equipment/1/history/chart?from=${since(1 / 24)}` },
  { name: "chart of 7 days", path: `/api/equipment/1/history/chart?from=${since(7)}`, peer: `/?from=${since(7)}` },
  { name: "chart of 89 days", path: `/api/equipment/1/history/chart?from=${since(89)}`, peer: `/?from=${since(89)}` },
  { name: "chart of 89 days, CSV", path: `/api/equipment/1/history/chart?format=csv&from=${since(89)}` },
];

async function measure(child: Child, path: string) {
  const request = (): Buffer => httpGet(path, child.served.headers ?? {});
  await warmUp(child, request, 5);
  return load(child, request, { inFlight: 1, seconds: Number(flags.seconds) });
}

console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, three metrics, readings evenly over 89 days`,
);
console.log("readings  question                             p50 ms    p99 ms  CPU ms/call   peer p50 ms   peer ÷ hub");
for (const rows of [most / 100, most / 10, most]) {
  const hub = await startChild(file, ["hub", "1", "{}", String(rows)]);
  const peer = await startChild(file, ["table", "1", "{}", String(rows)]);
  for (const { name, path, peer: asked } of questions) {
    const { p50, p99, cpuMicros } = await measure(hub, path);
    const other = asked === undefined ? undefined : await measure(peer, asked);
    const cells = [
      String(rows).padStart(8),
      ` ${name.padEnd(34)}`,
      p50.toFixed(2).padStart(8),
      p99.toFixed(2).padStart(9),
      (cpuMicros / 1_000).toFixed(2).padStart(12),
      (other ? other.p50.toFixed(1) : "").padStart(13),
      (other ? `${(other.p50 / p50).toFixed(1)} ×` : "").padStart(12),
    ];
    console.log(cells.join(" "));
  }
  await hub.stop();
  await peer.stop();
}
