import type { Json, JsonObject } from "@steading/kernel";

/** Columns that hold JSON; the reference sends them as text. */
const JSON_COLUMNS = new Set([
  "register_mappings",
  "last_reading",
  "safety",
  "trigger_config",
  "conditions",
  "actions",
  "detail",
  "details",
]);

/** A row as the reference's clients know it: booleans as 0 and 1, JSON columns as text. What we added keeps its types. */
export function wireShape(row: JsonObject, ours: ReadonlySet<string> = OURS): JsonObject {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]): [string, Json] => {
      if (JSON_COLUMNS.has(key)) return [key, value === null ? null : JSON.stringify(value)];
      if (typeof value === "boolean" && !ours.has(key)) return [key, Number(value)];
      return [key, value];
    }),
  );
}

const OURS: ReadonlySet<string> = new Set(["zones", "channels", "confirmed"]);
