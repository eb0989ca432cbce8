import { createRealClock, silentLog } from "@steading/kernel";
import { createServer } from "../server.ts";
import { createSluiceTools } from "./sluice-tools.ts";

// A hub in a process of its own whose tools ask before they act.

const { dispatcher, approvals } = createSluiceTools();
const server = createServer({
  dispatcher,
  approvals,
  resources: [],
  authenticator: { authenticate: () => Promise.resolve(undefined) },
  info: { name: "test-shell", version: "1.2.3" },
  instructions: "For tests.",
  clock: createRealClock(),
  log: silentLog,
  health: () => ({ status: "ok" }),
});
const { ended } = server.serveStdio({
  input: process.stdin,
  output: process.stdout,
  caller: { principal: "anna", role: "admin" },
});
await ended;
await server.close();
