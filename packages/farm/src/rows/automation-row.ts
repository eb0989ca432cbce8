import type { Json, JsonObject } from "@steading/kernel";
import { iso } from "../model/instant.ts";
import type { Automation } from "../model/rows.ts";

export function automationRow(automation: Automation): JsonObject {
  return {
    id: automation.id,
    name: automation.name,
    description: automation.description,
    enabled: automation.enabled,
    priority: automation.priority,
    trigger_config: automation.trigger_config,
    conditions: automation.conditions,
    condition_logic: automation.condition_logic,
    actions: automation.actions,
    last_run: automation.last_run === null ? null : iso(automation.last_run),
    run_count: automation.run_count,
    template_id: automation.template_id,
    last_watchdog_alert: null,
    created_at: iso(automation.created_at),
    updated_at: iso(automation.updated_at),
    schedule: scheduleLine(automation.trigger_config),
  };
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** When it runs, in one line; null when something else than time starts it. */
function scheduleLine(trigger: JsonObject): string | null {
  if (trigger["type"] !== "schedule") return null;
  const { schedule_type, time, minute, day_of_week, run_at, cron } = trigger;
  switch (schedule_type) {
    case "daily":
      return `Daily at ${text(time)}`;
    case "weekly":
      return `Weekly on ${DAYS[Number(day_of_week)] ?? text(day_of_week)} at ${text(time)}`;
    case "hourly":
      return `Hourly at minute ${text(minute)}`;
    case "once":
      return `Once at ${text(run_at)}`;
    case "custom":
      return `Cron ${text(cron ?? trigger["cron_expression"])}`;
    default:
      return "On a schedule";
  }
}

/** Operators write these; they stay short, and one line. */
function text(value: Json | undefined): string {
  if (typeof value !== "string" && typeof value !== "number") return "?";
  return String(value).replaceAll(/\s+/g, " ").slice(0, 60);
}
