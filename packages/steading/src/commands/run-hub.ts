import { createRealClock } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import { createHub, type Hub, type HubDeps } from "../hub/create-hub.ts";
import { howToConnect } from "../hub/how-to-connect.ts";
import { createLog } from "../hub/log.ts";
import { removeReadyFile, writeReadyFile, type Ready } from "../hub/ready-file.ts";
import { LAUNCHER } from "../launcher-path.ts";
import type { Environment } from "../settings/environment.ts";
import type { Settings } from "../settings/settings-schema.ts";
import { openTelemetry } from "../telemetry/open-telemetry.ts";
import type { World } from "../world.ts";
import type { HubFlags } from "./hub-flags.ts";
import { stopped } from "./stopped.ts";

export interface HubRun {
  readonly settings: Settings;
  readonly data: string;
  readonly flags: Pick<HubFlags, "readyFile" | "json">;
  readonly environment: Environment;
  readonly world: World;
  readonly more?: HubDeps["more"];
  readonly furnishFarm?: HubDeps["furnishFarm"];
}

/** Runs a hub from its first breath to its last: what `start` and `demo` share. */
export async function runHub(run: HubRun): Promise<number> {
  const { settings, data, flags, environment, world, more, furnishFarm } = run;
  const clock = createRealClock();
  const log = createLog({ level: settings.log.level, sink: world.stderr, clock });
  const { jwtSecret } = environment;
  const farmCredentials = environment.farm?.credentials;
  const telemetry = await openTelemetry(settings, log);
  const hub = await createHub({
    settings,
    data,
    clock,
    log,
    ...(telemetry && { telemetry }),
    ...(jwtSecret !== undefined && { jwtSecret }),
    ...(farmCredentials && { farmCredentials }),
    ...(more && { more }),
    ...(furnishFarm && { furnishFarm }),
  }).catch(async (error: unknown) => {
    await telemetry?.stop();
    throw error;
  });
  // Only what this run wrote is taken away again: a start that failed may share the path with a hub that runs.
  let written: string | undefined;
  try {
    await hub.start(world.stop);
    if (world.stop.aborted) return EXIT.ok;
    const { url, farm } = await hub.listen();
    // Last of all, and told at once: a token that exists and was never shown would lock its owner out.
    const first = await hub.firstToken(environment.bootstrapToken);
    const token = first ?? (await knownToken(hub, environment.bootstrapToken));
    const ready: Ready = {
      url,
      mcp: `${url}/mcp`,
      farm: farm === undefined ? null : `${farm}/mcp`,
      devices: null,
      mqtt: null,
      ...(token !== undefined && { token }),
      pid: process.pid,
    };
    if (flags.json) world.stdout.write(`${JSON.stringify(ready)}\n`);
    else world.stdout.write(welcome({ ready, first, data, given: environment.bootstrapToken !== undefined }));
    if (flags.readyFile !== undefined) writeReadyFile((written = flags.readyFile), ready);
    await stopped(world.stop);
    log.info("Stopping.");
    return EXIT.ok;
  } finally {
    if (written !== undefined) removeReadyFile(written);
    await hub.stop();
    await telemetry?.stop();
  }
}

/** The variable outlives the first start; it is only worth passing on while the hub accepts it. */
async function knownToken(hub: Hub, token: string | undefined): Promise<string | undefined> {
  return token !== undefined && (await hub.accepts(token)) ? token : undefined;
}

function welcome({
  ready,
  first,
  data,
  given,
}: {
  readonly ready: Ready;
  readonly first: string | undefined;
  readonly data: string;
  readonly given: boolean;
}): string {
  const lines = [`Steading is ready at ${ready.url} (MCP: ${ready.mcp}). Data: ${data}. Stop with Ctrl-C.`];
  if (ready.farm !== null)
    lines.push(`The farm's own MCP server is at ${ready.farm}, its REST calls at ${ready.url}/api.`);
  lines.push("");
  if (first !== undefined) {
    // Whoever gave the token has it; repeating it would only put it into one more log.
    lines.push(
      howToConnect({
        essential: `${ready.mcp}/essential`,
        data,
        command: [process.execPath, LAUNCHER],
        ...(!given && { token: first }),
      }),
    );
  }
  return lines.join("\n");
}
