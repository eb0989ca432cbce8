import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLamp } from "@steading/sim";
import { chooseSettings } from "../settings/choose-settings.ts";
import { dataDirectory } from "../settings/data-directory.ts";
import { readEnvironment } from "../settings/environment.ts";
import { LampSettings, type Settings } from "../settings/settings-schema.ts";
import type { World } from "../world.ts";
import type { HubFlags } from "./hub-flags.ts";

/** A virtual place over real sockets, and a hub that knows nothing of its being virtual. */
export async function demo(flags: HubFlags, world: World): Promise<number> {
  const environment = readEnvironment(world.variables);
  // Only what was asked for by name: somebody's own settings must not end up in a demo by accident.
  const given = chooseSettings({ given: flags, environment, places: [], workingDirectory: world.workingDirectory });
  const kept = flags.data !== undefined;
  const data = kept ? dataDirectory(flags.data, environment) : mkdtempSync(join(tmpdir(), "steading-demo-"));
  const lamp = createLamp();
  try {
    const settings = withLamp(given, await lamp.start());
    const [{ runHub }, { createSampleHome }] = await Promise.all([
      import("./run-hub.ts"),
      import("../demo/sample-home.ts"),
    ]);
    const more = (deps: Parameters<typeof createSampleHome>[0]) => [createSampleHome(deps)];
    return await runHub({ settings, data, flags, environment, world, more });
  } finally {
    await lamp.stop();
    if (!kept) rmSync(data, { recursive: true, force: true });
  }
}

function withLamp(settings: Settings, { host, port }: { readonly host: string; readonly port: number }): Settings {
  const demoLamp = LampSettings.parse({ name: "demo", host, port, title: "Demo lamp" });
  return { ...settings, access: "write", lamps: [...settings.lamps.filter(({ name }) => name !== "demo"), demoLamp] };
}
