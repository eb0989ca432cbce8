// A hub of 1 000 tools on plain Node and what was built, to see how long it takes to be there. Argument: stdio or http.
import { createDispatcher, createMemoryLedger, createRealClock, defineTool, silentLog } from "@steading/kernel";
import { createAccessTokens, createServer } from "@steading/server";
import * as z from "zod";

const imported = performance.now();
const [how = "http", count = "1000"] = process.argv.slice(2);
const clock = createRealClock();
const tools = Array.from({ length: Number(count) }, (_, n) =>
  defineTool({
    name: `device.${String(n).padStart(4, "0")}.echo`,
    title: "Echo",
    summary: "Echoes.",
    input: z.object({ text: z.string() }),
    intent: "READ_ONLY",
    minimumRole: "viewer",
    handler: ({ text }) => ({ echo: text }),
  }),
);
const server = createServer({
  dispatcher: createDispatcher({
    toolsets: [{ name: "devices", tools }],
    door: { perform: () => Promise.reject(new Error("no door")) },
    clock,
    log: silentLog,
  }),
  resources: [],
  authenticator: createAccessTokens({ ledger: createMemoryLedger({ clock }), clock }),
  info: { name: "steading", version: "1" },
  instructions: "",
  clock,
  log: silentLog,
  health: () => ({ status: "ok" }),
});
if (how === "stdio") {
  const served = server.serveStdio({
    input: process.stdin,
    output: process.stdout,
    caller: { principal: "bench", role: "admin" },
  });
  await served.ended;
} else {
  await server.listen({ host: "127.0.0.1", port: 0 });
  process.stdout.write(`${JSON.stringify({ imported, ready: performance.now() })}\n`);
  await server.close();
}
