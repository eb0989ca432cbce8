import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRealClock } from "@steading/kernel";
import { createConformanceFixtures } from "@steading/server";
import { EXIT } from "../exit-codes.ts";
import { createHub } from "../hub/create-hub.ts";
import { createLog } from "../hub/log.ts";
import { removeReadyFile, writeReadyFile, type Ready } from "../hub/ready-file.ts";
import { chooseSettings } from "../settings/choose-settings.ts";
import { readEnvironment } from "../settings/environment.ts";
import type { World } from "../world.ts";
import type { HubFlags } from "./hub-flags.ts";
import { stopped } from "./stopped.ts";

/** A hub with the conformance suite's fixtures and no credentials. It keeps nothing. */
export async function serveConformance(
  flags: Pick<HubFlags, "host" | "port" | "readyFile" | "json">,
  world: World,
): Promise<number> {
  const environment = readEnvironment(world.variables);
  const settings = chooseSettings({ given: flags, environment, places: [], workingDirectory: world.workingDirectory });
  const clock = createRealClock();
  const log = createLog({ level: settings.log.level, sink: world.stderr, clock });
  const data = mkdtempSync(join(tmpdir(), "steading-conformance-"));
  const hub = await createHub({ settings, data, clock, log, fixtures: createConformanceFixtures({ clock }) });
  let written: string | undefined;
  try {
    await hub.start(world.stop);
    const { url, farm } = await hub.listen();
    const farmMcp = farm === undefined ? null : `${farm}/mcp`;
    const ready: Ready = { url, mcp: `${url}/mcp`, farm: farmMcp, devices: null, mqtt: null, pid: process.pid };
    world.stdout.write(flags.json ? `${JSON.stringify(ready)}\n` : `Serving conformance fixtures at ${ready.mcp}.\n`);
    if (flags.readyFile !== undefined) writeReadyFile((written = flags.readyFile), ready);
    await stopped(world.stop);
    return EXIT.ok;
  } finally {
    if (written !== undefined) removeReadyFile(written);
    await hub.stop();
    rmSync(data, { recursive: true, force: true });
  }
}
