import type { CoreAlert } from "./core-rows.ts";
import { ANYBODY, OPERATORS, ok, refusal, type CoreAnswer, type CoreCall, type CoreRoute } from "./core-route.ts";
import type { CoreSite } from "./core-site.ts";
import { sqliteTime } from "./core-times.ts";

export const alertRoutes: readonly CoreRoute[] = [
  { method: "GET", path: "/api/alerts", roles: ANYBODY, handle: list },
  {
    method: "GET",
    path: "/api/alerts/unacknowledged/count",
    roles: ANYBODY,
    handle: ({ site }) => ok({ count: site.alerts.filter(({ acknowledged }) => acknowledged === 0).length }),
  },
  { method: "POST", path: "/api/alerts/:id/acknowledge", roles: OPERATORS, handle: acknowledge },
  { method: "GET", path: "/api/dashboard/overview", roles: ANYBODY, handle: overview },
];

/** Only the texts `true` and `false` filter; anything else is as good as nothing. */
function list({ site, query }: CoreCall): CoreAnswer {
  const severity = query.get("severity");
  const equipment = query.get("equipment_id");
  const wanted = { true: 1, false: 0 }[query.get("acknowledged") ?? ""];
  const limit = query.get("limit");
  const rows = site.alerts
    .filter((row) => !severity || row.severity === severity)
    .filter((row) => !equipment || String(row.equipment_id) === equipment)
    .filter((row) => wanted === undefined || row.acknowledged === wanted)
    .toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
  if (limit !== null && Number.isNaN(Number(limit))) return refusal(500, "Internal Server Error", "datatype mismatch");
  return ok(rows.slice(0, limit === null ? undefined : Number(limit)).map((row) => joined(row, site)));
}

function acknowledge({ site, ids, session, now }: CoreCall): CoreAnswer {
  const row = site.alerts.find(({ id }) => id === ids[0]);
  if (!row) return refusal(404, "Not Found", "Alert not found");
  if (row.acknowledged === 1) return refusal(400, "Bad Request", "Alert already acknowledged");
  row.acknowledged = 1;
  row.acknowledged_by = session?.user.id ?? null;
  row.acknowledged_at = sqliteTime(now);
  return ok(joined(row, site));
}

function joined(row: CoreAlert, { equipment, zones, users }: CoreSite): object {
  return {
    ...row,
    equipment_name: equipment.find(({ id }) => id === row.equipment_id)?.name ?? null,
    zone_name: zones.find(({ id }) => id === row.zone_id)?.name ?? null,
    acknowledged_by_name: users.find(({ id }) => id === row.acknowledged_by)?.name ?? null,
  };
}

function overview({ site, query }: CoreCall): CoreAnswer {
  const withStatus = (status: string) => site.equipment.filter((row) => row.status === status).length;
  const open = site.alerts.filter(({ acknowledged }) => acknowledged === 0);
  const withSeverity = (severity: string) => open.filter((row) => row.severity === severity).length;
  return ok({
    equipment: {
      total: site.equipment.length,
      online: withStatus("online"),
      offline: withStatus("offline"),
      error: withStatus("error"),
      warning: withStatus("warning"),
    },
    zones: { total: site.zones.length },
    automations: {
      total: site.automations.length,
      active: site.automations.filter(({ enabled }) => enabled === 1).length,
    },
    alerts: { unacknowledged: open.length, critical: withSeverity("critical"), warning: withSeverity("warning") },
    recentAlerts: site.alerts.slice(-5).map((row) => joined(row, site)),
    recentAutomations: site.automations.slice(0, 5),
    latestReadings: site.readings.slice(-50),
    activeAutomations: site.automations.filter(({ enabled }) => enabled === 1).slice(0, 10),
    chartReadings: site.readings,
    equipmentList: site.equipment.slice(0, 20),
    latestLabReadings: [],
    timeRange: { hours: Number(query.get("hours") ?? 24) },
  });
}
