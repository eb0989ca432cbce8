import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { SteadingError } from "@steading/kernel";
import type { Environment } from "./environment.ts";
import { farmListener, FarmSettings } from "./farm-settings.ts";
import { exposed, unprotected, type ListenerSettings } from "./listener-settings.ts";
import { defaultSettings, readSettings, SETTINGS_FILE } from "./read-settings.ts";
import type { Settings } from "./settings-schema.ts";

export interface SettingsChoice {
  /** `--config`; must exist then. */
  readonly config?: string;
  readonly host?: string;
  readonly port?: number;
  /** `--farm-port`. */
  readonly farmPort?: number;
}

/**
 * The settings in force: the file's, with what the environment and then the flags say about its listeners on top.
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
  // The MCP server of SenseHub, which stands in front of a core, calls its own port PORT.
  const isBridge = environment.farm?.apiUrl !== undefined;
  const chosen = withMainListener(settings, {
    host: given.host ?? environment.host,
    port: given.port ?? (isBridge ? undefined : environment.port),
  });
  return withFarm(chosen, {
    port: given.farmPort ?? environment.farm?.port ?? (isBridge ? environment.port : undefined),
    apiUrl: environment.farm?.apiUrl,
    sessionTimeoutMs: environment.farm?.sessionTimeoutMs,
  });
}

/** Whoever names its port or the core it serves wants a farm, whatever the file says. */
function withFarm(
  settings: Settings,
  given: {
    readonly port: number | undefined;
    readonly apiUrl: string | undefined;
    readonly sessionTimeoutMs: number | undefined;
  },
): Settings {
  const { port, apiUrl, sessionTimeoutMs } = given;
  const isWanted = settings.farm !== undefined || port !== undefined || apiUrl !== undefined;
  if (!isWanted) return settings;
  const farm: FarmSettings = {
    ...(settings.farm ?? FarmSettings.parse({})),
    ...(port !== undefined && { port }),
    ...(apiUrl !== undefined && { bridge: { url: apiUrl } }),
    ...(sessionTimeoutMs !== undefined && { sessionTimeoutMs }),
  };
  const listener = farmListener({ listen: settings.listen, farm });
  const refusal = listener && exposed(listener);
  if (refusal !== undefined) {
    throw new SteadingError("USAGE", `The farm's port: ${refusal}.`, {
      hint: "These are settings below `farm` in steading.config.yaml.",
    });
  }
  return { ...settings, farm };
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
