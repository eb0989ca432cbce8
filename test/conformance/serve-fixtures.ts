import { createDispatcher, createRealClock, silentLog } from "@steading/kernel";
import { createConformanceFixtures, createServer } from "@steading/server";

// The product's own shell with nothing but the referee's names in it, without its hot path. Argument: the port.

const [port = "0"] = process.argv.slice(2);
const clock = createRealClock();
const server = createServer({
  dispatcher: createDispatcher({
    toolsets: [],
    door: { perform: () => Promise.reject(new Error("The fixtures act on nothing")) },
    clock,
    log: silentLog,
  }),
  info: { name: "steading", title: "Steading", version: "0.1.0" },
  instructions: "Fixtures for the conformance referee.",
  clock,
  log: silentLog,
  health: () => ({ status: "ok" }),
  ...createConformanceFixtures({ clock }),
  hotPath: false,
});
const { url } = await server.listen({ host: "127.0.0.1", port: Number(port) });
process.stdout.write(`${JSON.stringify({ mcp: `${url}/mcp` })}\n`);
process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
