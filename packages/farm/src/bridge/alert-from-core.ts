import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import { others, toFlag, toInstant, toText, toTime, toWhole } from "./core-values.ts";

export interface CoreAlert {
  readonly id: number;
  readonly severity: string;
  readonly acknowledged: boolean;
  readonly cleared: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly row: JsonObject;
}

/** An alert of the core in the shape our own tools give. */
export function alertFromCore(sent: Json): CoreAlert | undefined {
  const id = isJsonObject(sent) ? toWhole(sent["id"]) : undefined;
  if (!isJsonObject(sent) || id === undefined) return undefined;
  const severity = toText(sent["severity"]) ?? "info";
  const acknowledged = toFlag(sent["acknowledged"]) ?? false;
  const created = toTime(sent["created_at"]);
  const known: JsonObject = {
    id,
    equipment_id: toWhole(sent["equipment_id"]) ?? null,
    zone_id: toWhole(sent["zone_id"]) ?? null,
    severity,
    message: toText(sent["message"]) ?? "",
    acknowledged,
    acknowledged_by: toText(sent["acknowledged_by"]),
    acknowledged_at: toTime(sent["acknowledged_at"]),
    created_at: created,
    equipment_name: toText(sent["equipment_name"]),
    zone_name: toText(sent["zone_name"]),
    acknowledged_by_name: toText(sent["acknowledged_by_name"]),
    fingerprint: toText(sent["fingerprint"]),
    source: toText(sent["source"]) ?? "core",
    count: toWhole(sent["count"]) ?? 1,
    last_seen_at: toTime(sent["last_seen_at"]) ?? created,
    cleared_at: toTime(sent["cleared_at"]),
    automation_id: toWhole(sent["automation_id"]) ?? null,
  };
  return {
    id,
    severity,
    acknowledged,
    cleared: known["cleared_at"] !== null,
    createdAt: toInstant(sent["created_at"]) ?? 0,
    row: { ...known, ...others(sent, known) },
  };
}
