import type { Json, JsonObject } from "@steading/kernel";
import { iso } from "../model/instant.ts";
import type { AutomationTemplate, DeviceTemplate } from "../model/rows.ts";

export function deviceTemplateRow({ register_mappings, created_at, ...template }: DeviceTemplate): JsonObject {
  // Parsed from JSON when they came in; a schema that keeps unknown keys says unknown of them.
  return { ...template, register_mappings: register_mappings as unknown as Json, created_at: iso(created_at) };
}

export function automationTemplateRow({ created_at, updated_at, ...template }: AutomationTemplate): JsonObject {
  return { ...template, created_at: iso(created_at), updated_at: iso(updated_at) };
}
