import type { JsonObject } from "@steading/kernel";
import { iso } from "../model/instant.ts";
import type { AutomationLog } from "../model/rows.ts";

export function automationLogRow({ triggered_at, completed_at, ...log }: AutomationLog): JsonObject {
  return { ...log, triggered_at: iso(triggered_at), completed_at: iso(completed_at) };
}
