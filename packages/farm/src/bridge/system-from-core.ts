import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import { others, toFlag, toNumber, toObject, toText, toWhole } from "./core-values.ts";

/** Does the core's own answer tell its health, or must it be asked for apart? */
export function tellsHealth(info: Json | undefined): boolean {
  return isJsonObject(info) && isJsonObject(info["health"]);
}

/** The core's account of itself in the shape our own tool gives. */
export function systemFromCore(info: JsonObject, health: JsonObject | undefined): JsonObject {
  const told = toObject(info["health"]) ?? health ?? { status: "unknown" };
  const cpus = toWhole(info["cpus"]) ?? null;
  const database = toObject(info["database"]);
  const known: JsonObject = {
    version: toText(info["version"]) ?? toText(told["version"]) ?? "unknown",
    uptime: toNumber(info["uptime"]) ?? 0,
    memory: toObject(info["memory"]) ?? null,
    cpus,
    // Where its file lies is nobody's business who only asks how it is.
    database: { connected: toFlag(database?.["connected"]) ?? told["database"] === "connected" },
    cpu: toObject(info["cpu"]) ?? { count: cpus },
    connectivity: toObject(info["connectivity"]) ?? { internet: "unknown", go2rtc: "unknown", mcp: "up" },
    // The reference cannot be disarmed.
    armed: toFlag(info["armed"]) ?? true,
    health: told,
  };
  return { ...others(info, known), ...known };
}
