import { parseArgs } from "node:util";
import { load, modernRequest, startChild } from "./shell-load-peer.ts";

// `tools/list` through the whole shell against the bare SDK, by number of tools. A page is made once per role and
// generation; ours holds at most 500 tools, the peers' everything.

const { values: flags } = parseArgs({ options: { seconds: { type: "string", default: "2" } } });
const server = new URL("./shell-server-peer.ts", import.meta.url);

console.log("server                       tools   bytes     CPU µs/list    calls/s");
for (const tools of [10, 100, 500, 1000]) {
  for (const [variant, what] of [
    ["steading", "steading, hot path, token"],
    ["steading-sdk-leg", "steading, SDK leg, token"],
    ["sdk-low", "SDK 2 Server, bare"],
    ["sdk-high", "SDK 2 McpServer, bare"],
  ] as const) {
    const child = await startChild(server, [variant, String(tools)]);
    const { cpuMicros, perSecond, bytes } = await load(
      child,
      (n) => modernRequest("tools/list", {}, child.served.headers, n + 1),
      { inFlight: 4, seconds: Number(flags.seconds) },
    );
    console.log(
      `${what.padEnd(28)} ${String(tools).padStart(5)} ${String(bytes).padStart(7)} ${cpuMicros.toFixed(1).padStart(15)} ${perSecond.toFixed(0).padStart(10)}`,
    );
    await child.stop();
  }
}
