import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHouse, createLamp, createVirtualFarm } from "@steading/sim";
import { chooseSettings } from "../settings/choose-settings.ts";
import { dataDirectory } from "../settings/data-directory.ts";
import { readEnvironment } from "../settings/environment.ts";
import { FarmSettings } from "../settings/farm-settings.ts";
import { EbusSettings, LampSettings, type Settings } from "../settings/settings-schema.ts";
import type { World } from "../world.ts";
import type { HubFlags } from "./hub-flags.ts";
import type { HubRun } from "./run-hub.ts";

/** A virtual place over real sockets, and a hub that knows nothing of its being virtual. */
export async function demo(flags: HubFlags, world: World): Promise<number> {
  const environment = readEnvironment(world.variables);
  // Only what was asked for by name: somebody's own settings must not end up in a demo by accident.
  const given = chooseSettings({ given: flags, environment, places: [], workingDirectory: world.workingDirectory });
  const kept = flags.data !== undefined;
  const data = kept ? dataDirectory(flags.data, environment) : mkdtempSync(join(tmpdir(), "steading-demo-"));
  const lamp = createLamp();
  const house = createHouse();
  const farm = createVirtualFarm();
  try {
    const heated = withHouse(withLamp(given, await lamp.start()), (await house.start({ enh: 0 })).enh);
    const settings: Settings = { ...heated, farm: heated.farm ?? FarmSettings.parse({}) };
    const addresses = await farm.start();
    const [{ runHub }, { createSampleHome }, { furnishSampleFarm }] = await Promise.all([
      import("./run-hub.ts"),
      import("../demo/sample-home.ts"),
      import("../demo/sample-farm.ts"),
    ]);
    const more = (deps: Parameters<typeof createSampleHome>[0]) => [createSampleHome(deps)];
    const furnishFarm: HubRun["furnishFarm"] = (deps) => furnishSampleFarm({ ...deps, addresses });
    return await runHub({ settings, data, flags, environment, world, more, furnishFarm });
  } finally {
    await Promise.all([lamp.stop(), house.stop(), farm.stop()]);
    if (!kept) rmSync(data, { recursive: true, force: true });
  }
}

function withLamp(settings: Settings, { host, port }: { readonly host: string; readonly port: number }): Settings {
  const demoLamp = LampSettings.parse({ name: "demo", host, port, title: "Demo lamp" });
  return { ...settings, access: "write", lamps: [...settings.lamps.filter(({ name }) => name !== "demo"), demoLamp] };
}

/** The virtual house's heating, unless somebody's settings name a real one. */
function withHouse(settings: Settings, enh: { readonly host: string; readonly port: number } | undefined): Settings {
  if (enh === undefined || settings.ebus !== undefined) return settings;
  // No regulator of a virtual house is disturbed by questions, and half of its devices never speak by themselves.
  const adapter = `enh://${enh.host}:${enh.port}`;
  return { ...settings, ebus: EbusSettings.parse({ adapter, readOnly: false, scan: "all" }) };
}
