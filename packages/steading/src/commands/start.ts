import { chooseSettings } from "../settings/choose-settings.ts";
import { dataDirectory } from "../settings/data-directory.ts";
import { readEnvironment } from "../settings/environment.ts";
import type { World } from "../world.ts";
import type { HubFlags } from "./hub-flags.ts";

export async function start(flags: HubFlags, world: World): Promise<number> {
  const environment = readEnvironment(world.variables);
  const data = dataDirectory(flags.data, environment);
  const { workingDirectory } = world;
  const settings = chooseSettings({ given: flags, environment, places: [workingDirectory, data], workingDirectory });
  const { runHub } = await import("./run-hub.ts"); // a mistake in the settings is told without loading it
  return runHub({ settings, data, flags, environment, world });
}
