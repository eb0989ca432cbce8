import type { Log } from "@steading/kernel";
import { packageVersion } from "../hub/package-version.ts";
import type { Settings } from "../settings/settings-schema.ts";
import type { Telemetry } from "./telemetry.ts";

/** Undefined when the settings say nothing of it; the SDK is not even loaded then. */
export async function openTelemetry({ telemetry: { otlp } }: Settings, log: Log): Promise<Telemetry | undefined> {
  if (otlp === undefined) return undefined;
  const { startTelemetry } = await import("./start-telemetry.ts");
  return startTelemetry({ otlp, version: packageVersion(), log });
}
