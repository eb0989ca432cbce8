import { createDispatcher, createRealClock, silentLog } from "@steading/kernel";
import { createConformanceFixtures, createServer } from "@steading/server";

// The product's own shell with nothing but the referee's names in it. Arguments: the port and `hot` or `cold`.

const [port = "0", path = "hot"] = process.argv.slice(2);
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
  hotPath: path === "hot",
  ...createConformanceFixtures({ clock }),
});
const { url } = await server.listen({ host: "127.0.0.1", port: Number(port) });
process.stdout.write(`${url}\n`);
process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
