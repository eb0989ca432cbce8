import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import { automationRow } from "../rows/automation-row.ts";
import { others, toFlag, toInstant, toList, toObject, toText, toTime, toWhole } from "./core-values.ts";

export interface CoreAutomation {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly priority: number;
  readonly row: JsonObject;
}

/** An automation of the core in the shape our own tools give. */
export function automationFromCore(sent: Json): CoreAutomation | undefined {
  const id = isJsonObject(sent) ? toWhole(sent["id"]) : undefined;
  if (!isJsonObject(sent) || id === undefined) return undefined;
  const name = toText(sent["name"]) ?? `Automation ${id}`;
  const enabled = toFlag(sent["enabled"]) ?? false;
  const priority = toWhole(sent["priority"]) ?? 0;
  const row = automationRow({
    id,
    name,
    description: toText(sent["description"]),
    enabled,
    priority,
    trigger_config: toObject(sent["trigger_config"]) ?? {},
    conditions: toList(sent["conditions"]),
    condition_logic: sent["condition_logic"] === "OR" ? "OR" : "AND",
    actions: toList(sent["actions"]).filter(isJsonObject),
    template_id: toWhole(sent["template_id"]) ?? null,
    last_run: toInstant(sent["last_run"]),
    run_count: toWhole(sent["run_count"]) ?? 0,
    created_at: toInstant(sent["created_at"]) ?? 0,
    updated_at: toInstant(sent["updated_at"]) ?? 0,
  });
  const own = {
    last_watchdog_alert: toTime(sent["last_watchdog_alert"]),
    // What the core does not tell is not the beginning of 1970.
    created_at: toTime(sent["created_at"]),
    updated_at: toTime(sent["updated_at"]),
    schedule: typeof sent["schedule"] === "string" ? sent["schedule"] : (row["schedule"] ?? null),
  };
  return { id, name, enabled, priority, row: { ...row, ...own, ...others(sent, row) } };
}
