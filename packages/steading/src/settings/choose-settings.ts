import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { SteadingError } from "@steading/kernel";
import type { Environment } from "./environment.ts";
import { defaultSettings, readSettings, SETTINGS_FILE } from "./read-settings.ts";
import { unprotected, type ListenerSettings, type Settings } from "./settings-schema.ts";

export interface SettingsChoice {
  /** `--config`; must exist then. */
  readonly config?: string;
  readonly host?: string;
  readonly port?: number;
}

/**
 * The settings in force: the file's, with what the environment and then the flags say about the main listener on top.
 * Without `--config` the file is looked for in the given places; none there means the defaults.
 */
export function chooseSettings({
  given,
  environment,
  places,
  workingDirectory,
}: {
  readonly given: SettingsChoice;
  readonly environment: Environment;
  /** Directories that may hold a settings file, first match wins. */
  readonly places: readonly string[];
  readonly workingDirectory: string;
}): Settings {
  const found = places.map((place) => join(place, SETTINGS_FILE)).find((file) => existsSync(file));
  const file = given.config === undefined ? found : resolve(workingDirectory, given.config);
  const settings = file === undefined ? defaultSettings() : readSettings(file);
  return withMainListener(settings, {
    host: given.host ?? environment.host,
    port: given.port ?? environment.port,
  });
}

/** The first listener is the main one. */
function withMainListener(
  settings: Settings,
  { host, port }: { readonly host: string | undefined; readonly port: number | undefined },
): Settings {
  const [main, ...others] = settings.listen;
  if (!main || (host === undefined && port === undefined)) return settings;
  const changed: ListenerSettings = {
    ...main,
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
  };
  const refusal = unprotected(changed);
  if (refusal !== undefined) {
    throw new SteadingError("USAGE", `--host (or HOST): ${refusal}.`, {
      hint: "These are settings of the first entry below `listen` in steading.config.yaml.",
    });
  }
  return { ...settings, listen: [changed, ...others] };
}
