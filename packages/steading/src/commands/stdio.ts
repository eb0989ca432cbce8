import { PassThrough, type Readable } from "node:stream";
import { createRealClock, millis, SteadingError, type Clock, type Role } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import { attach } from "../local/attach.ts";
import type { Hub } from "../hub/create-hub.ts";
import { checkSocketPath, connectToHub } from "../local/hub-socket.ts";
import { isOnlyGreeting } from "../local/opening.ts";
import { dataDirectory, socketPath } from "../settings/data-directory.ts";
import { readEnvironment } from "../settings/environment.ts";
import type { World } from "../world.ts";

export interface StdioFlags {
  readonly data?: string;
  readonly config?: string;
  readonly role?: Role;
  /** `all`, `essential` or a toolset. */
  readonly view?: string;
}

/** The list that stays the same for ten or ten thousand points; the others are reached through `call_tool`. */
const DEFAULT_VIEW = "essential";

/** A hub that is just starting or stopping holds the directory but does not answer yet, or no longer. */
const TRIES = 50;
const BETWEEN_TRIES = millis(200);

/** MCP on standard input and output: through the hub that runs on this data directory, else as a hub of its own. */
export async function stdio(flags: StdioFlags, world: World): Promise<number> {
  const environment = readEnvironment(world.variables);
  const data = dataDirectory(flags.data, environment);
  const role = flags.role ?? environment.role ?? "operator";
  const clock = createRealClock();
  const path = socketPath(data);
  checkSocketPath(path);
  for (let attempt = 1; ; attempt += 1) {
    const socket = await connectToHub({ path, role, view: flags.view ?? DEFAULT_VIEW });
    if (socket) {
      const left = await attach({ socket, input: world.stdin, output: world.stdout, stop: world.stop });
      if (left.who === "client") return EXIT.ok;
      // The hub may have been another host's, which leaves whenever it likes; nobody here has noticed one yet.
      if (left.unanswered === undefined || !isOnlyGreeting(left.unanswered.toString()) || attempt === TRIES) {
        world.stderr.write("The hub went away; start this command again to reach the next one.\n");
        return EXIT.noHub;
      }
      if (left.unanswered.length > 0) world.stdin.unshift(left.unanswered);
      await clock.sleep(BETWEEN_TRIES);
      if (world.stop.aborted) return EXIT.ok;
      continue;
    }
    try {
      return await serveInProcess({ data, role, flags, world, clock });
    } catch (error) {
      if (!isLocked(error) || attempt === TRIES) throw error;
      await clock.sleep(BETWEEN_TRIES);
      if (world.stop.aborted) return EXIT.ok;
    }
  }
}

async function serveInProcess({
  data,
  role,
  flags,
  world,
  clock,
}: {
  readonly data: string;
  readonly role: Role;
  readonly flags: StdioFlags;
  readonly world: World;
  readonly clock: Clock;
}): Promise<number> {
  // Whoever only attaches need not wait for a whole hub to load.
  const [{ createHub }, { createLog }, { chooseSettings }, { openTelemetry }] = await Promise.all([
    import("../hub/create-hub.ts"),
    import("../hub/log.ts"),
    import("../settings/choose-settings.ts"),
    import("../telemetry/open-telemetry.ts"),
  ]);
  const environment = readEnvironment(world.variables);
  const { workingDirectory } = world;
  const given = flags.config === undefined ? {} : { config: flags.config };
  const settings = chooseSettings({ given, environment, places: [workingDirectory, data], workingDirectory });
  const log = createLog({ level: settings.log.level, sink: world.stderr, clock });
  const { jwtSecret } = environment;
  const telemetry = await openTelemetry(settings, log);
  let hub: Hub | undefined;
  try {
    const farmCredentials = environment.farm?.credentials;
    const given = {
      ...(telemetry && { telemetry }),
      ...(jwtSecret !== undefined && { jwtSecret }),
      ...(farmCredentials && { farmCredentials }),
    };
    hub = await createHub({ settings, data, clock, log, ...given });
    await hub.start(world.stop);
    if (world.stop.aborted) return EXIT.ok;
    await hub.serveLocally();
    const view = flags.view ?? DEFAULT_VIEW;
    await hub.serveStdio({ input: flowing(world.stdin), output: world.stdout, role, view }, world.stop);
    return EXIT.ok;
  } finally {
    await hub?.stop();
    await telemetry?.stop();
  }
}

/** Input that was attached elsewhere before stands still until it is piped; a mere listener would wait for ever. */
function flowing(input: Readable): Readable {
  return input.readableFlowing === false ? input.pipe(new PassThrough()) : input;
}

function isLocked(error: unknown): boolean {
  return error instanceof SteadingError && error.code === "DATA_DIR_LOCKED";
}
