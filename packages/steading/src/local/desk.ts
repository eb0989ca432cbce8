import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createRealClock, silentLog, SteadingError, type Caller, type JsonObject } from "@steading/kernel";
import { controlPath, dataDirectory } from "../settings/data-directory.ts";
import { readEnvironment } from "../settings/environment.ts";
import type { World } from "../world.ts";
import { overTransport } from "./hub-client.ts";
import { connectToHub } from "./hub-socket.ts";
import { createSocketTransport } from "./socket-transport.ts";

export interface DeskAddress {
  readonly data?: string;
}

/**
 * Runs one of the tools that look after a hub: in the hub when it runs, else on its state directly, under its lock.
 * The answer and the records are the same either way. Whoever may open the data directory may do all of it.
 */
export async function askDesk(
  address: DeskAddress,
  world: World,
  tool: string,
  input: JsonObject,
): Promise<JsonObject> {
  const environment = readEnvironment(world.variables);
  const data = dataDirectory(address.data, environment);
  const socket = await connectToHub({ path: controlPath(data), role: "admin" });
  if (socket) {
    return overTransport(createSocketTransport(socket), { address, ...world }, (hub) => hub.ask(tool, input));
  }
  requireState(data);
  return askOffline({ data, jwtSecret: environment.jwtSecret, tool, input, signal: world.stop });
}

/** A path that was mistyped must not become a hub's state. */
function requireState(data: string): void {
  if (existsSync(join(data, "state.db"))) return;
  throw new SteadingError("NO_STATE", `There is no hub's state in ${data}.`, {
    hint: "Give the right directory with --data, or start a hub there first.",
  });
}

async function askOffline({
  data,
  jwtSecret,
  tool,
  input,
  signal,
}: {
  readonly data: string;
  readonly jwtSecret: string | undefined;
  readonly tool: string;
  readonly input: JsonObject;
  readonly signal: AbortSignal;
}): Promise<JsonObject> {
  // Whoever finds a hub that runs need not load all of this.
  const [{ openCore }, { createControlDispatcher }] = await Promise.all([
    import("../hub/open-core.ts"),
    import("../hub/control-dispatcher.ts"),
  ]);
  const clock = createRealClock();
  const log = silentLog; // what goes wrong is answered
  const core = await openCore({
    settings: { access: "write", issuers: [] },
    data,
    clock,
    log,
    ...(jwtSecret !== undefined && { jwtSecret }),
  });
  try {
    const dispatcher = createControlDispatcher({ core, toolsets: [], clock, log, health: () => core.store.health() });
    const caller: Caller = { principal: "local", role: "admin", transport: "cli", correlation: randomUUID() };
    const result = await dispatcher.call({ tool, arguments: input, caller, signal });
    switch (result.kind) {
      case "answer":
        return result.structured;
      case "error":
        throw result.error;
      case "unknown-tool":
        throw new SteadingError("INTERNAL", `There is no tool ${tool}.`);
    }
  } finally {
    await core.store.close();
  }
}
