import type { JsonObject } from "@steading/kernel";
import type { FarmCore } from "../model/farm-core.ts";
import { iso } from "../model/instant.ts";
import type { Alert } from "../model/rows.ts";

const time = (at: number | null): string | null => (at === null ? null : iso(at));

/** An alert with the names of what it is about. */
export function alertRow(
  alert: Alert,
  { tables, nameOf, userIdOf }: Pick<FarmCore, "tables" | "nameOf" | "userIdOf">,
): JsonObject {
  const { equipment_id, zone_id, acknowledged_by } = alert;
  return {
    id: alert.id,
    equipment_id,
    zone_id,
    severity: alert.severity,
    message: alert.message,
    acknowledged: alert.acknowledged,
    acknowledged_by: acknowledged_by === null ? null : (userIdOf(acknowledged_by) ?? null),
    acknowledged_at: time(alert.acknowledged_at),
    created_at: iso(alert.created_at),
    equipment_name: (equipment_id === null ? undefined : tables.get("equipment", equipment_id)?.name) ?? null,
    zone_name: (zone_id === null ? undefined : tables.get("zones", zone_id)?.name) ?? null,
    acknowledged_by_name: acknowledged_by === null ? null : nameOf(acknowledged_by),
    fingerprint: alert.fingerprint,
    source: alert.source,
    count: alert.count,
    last_seen_at: iso(alert.last_seen_at),
    cleared_at: time(alert.cleared_at),
    automation_id: alert.automation_id,
  };
}
