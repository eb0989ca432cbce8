import { createRealClock, silentLog } from "@steading/kernel";
import { createServer } from "../server.ts";
import { createHandDispatcher } from "./hand-dispatcher.ts";
import { createHandResources } from "./hand-resources.ts";
import { HAND_TOOLS } from "./hand-tools.ts";
import { addMatrixTools } from "./matrix-tools.ts";

// A hub in a process of its own, for clients that start one.

const dispatcher = createHandDispatcher(...HAND_TOOLS);
const resources = createHandResources();
addMatrixTools({ dispatcher, resources });
const server = createServer({
  dispatcher,
  resources: [resources],
  authenticator: { authenticate: () => Promise.resolve(undefined) },
  info: { name: "test-shell", version: "1.2.3" },
  instructions: "For tests.",
  clock: createRealClock(),
  log: silentLog,
  limits: { toolsPerPage: 4 },
  health: () => ({ status: "ok" }),
});
const { ended } = server.serveStdio({
  input: process.stdin,
  output: process.stdout,
  caller: { principal: "anna", role: "admin" },
});
await ended;
await server.close();
