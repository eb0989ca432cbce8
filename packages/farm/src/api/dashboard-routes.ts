import { hours, type JsonObject, type Route } from "@steading/kernel";
import * as z from "zod";
import { iso } from "../model/instant.ts";
import { STATUSES, type Equipment } from "../model/rows.ts";
import { alertRow } from "../rows/alert-row.ts";
import { automationRow } from "../rows/automation-row.ts";
import { chartPoints } from "../rows/chart-points.ts";
import { equipmentRow, findEquipment } from "../rows/equipment-row.ts";
import { readingsPage } from "../rows/readings-page.ts";
import { zoneRow } from "../rows/zone-row.ts";
import type { ApiDeps } from "./api-deps.ts";
import { farmRoute, IdParams, NumberText, ok, shaped, ShapeQuery } from "./farm-route.ts";

const MOST_CHART_POINTS = 2_000;
const MOST_HOURS = 24 * 31;

export function createDashboardRoutes({ core }: ApiDeps): readonly Route[] {
  const { book, zones, automations, alerts, now } = core;

  function latestReadings(equipment: readonly Equipment[]): JsonObject[] {
    return equipment
      .flatMap(({ id, name }) =>
        [...book.state(id).metrics].map(([metric, { value, unit, at }]) => ({
          equipment_id: id,
          equipment_name: name,
          name: metric,
          value,
          unit,
          timestamp: iso(at),
        })),
      )
      .toSorted((a, b) => (a.timestamp > b.timestamp ? -1 : 1))
      .slice(0, 50);
  }

  /** Every device gets its share, so that the first ones do not take it all. */
  async function chart(from: number, to: number): Promise<readonly JsonObject[]> {
    const all = book.list().filter(({ id }) => book.state(id).metrics.size > 0);
    const share = Math.max(1, Math.floor(MOST_CHART_POINTS / Math.max(1, all.length)));
    const points: JsonObject[] = [];
    for (const equipment of all) {
      const room = MOST_CHART_POINTS - points.length;
      if (room <= 0) break;
      const found = await chartPoints(equipment, { from, to, most: Math.min(share, room) }, core);
      points.push(...found.map((point) => ({ equipment_id: equipment.id, equipment_name: equipment.name, ...point })));
    }
    return points;
  }

  return [
    farmRoute({
      method: "GET",
      path: "/api/dashboard/overview",
      role: "viewer",
      summary: "Everything at a glance",
      query: ShapeQuery.extend({ hours: NumberText.optional(), chart: z.enum(["0", "1"]).optional() }),
      async handle({ query: { hours: wanted = 24, chart: withChart, shape } }) {
        const length = Math.min(Math.max(wanted, 1), MOST_HOURS);
        const all = book.list();
        const count = (status: string): number => all.filter(({ id }) => book.state(id).status === status).length;
        const open = alerts.list({ acknowledged: false });
        const severity = (word: string): number => open.filter((alert) => alert.severity === word).length;
        const programs = automations.list();
        const active = programs.filter(({ enabled }) => enabled);
        const ran = programs.filter(({ last_run }) => last_run !== null);
        const recent = ran.toSorted((a, b) => (b.last_run ?? 0) - (a.last_run ?? 0)).slice(0, 5);
        const from = now() - length * hours(1);
        return ok({
          equipment: { total: all.length, ...Object.fromEntries(STATUSES.map((status) => [status, count(status)])) },
          zones: { total: zones.list().length },
          automations: { total: programs.length, active: active.length },
          alerts: { unacknowledged: open.length, critical: severity("critical"), warning: severity("warning") },
          recentAlerts: alerts
            .list()
            .slice(0, 5)
            .map((alert) => shaped(alertRow(alert, core), shape)),
          recentAutomations: recent.map((each) => shaped(automationRow(each), shape)),
          latestReadings: latestReadings(all),
          activeAutomations: active.slice(0, 10).map((each) => shaped(automationRow(each), shape)),
          chartReadings: withChart === "0" ? [] : await chart(from, now()),
          equipmentList: findEquipment({}, core)
            .slice(0, 20)
            .map((each) => shaped(equipmentRow(each, core), shape)),
          latestLabReadings: [],
          timeRange: { hours: length, from: iso(from), to: iso(now()) },
        });
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/dashboard/zone/:id",
      role: "viewer",
      summary: "A zone with its equipment, alerts and latest readings",
      params: IdParams,
      query: ShapeQuery,
      handle({ params: { id }, query: { shape } }) {
        const zone = zones.get(id);
        const within = zones.within(String(id));
        const equipment = book.list().filter(({ zone_ids }) => zone_ids.some((each) => within.has(each)));
        const ids = new Set(equipment.map((each) => each.id));
        const told = alerts
          .list({ acknowledged: false })
          .filter(
            ({ zone_id, equipment_id }) => (zone_id !== null && within.has(zone_id)) || ids.has(equipment_id ?? -1),
          );
        return ok({
          zone: zoneRow(zone, core),
          zones: [...within].filter((each) => each !== id).map((each) => zoneRow(zones.get(each), core)),
          equipment: equipment.map((each) => shaped(equipmentRow(each, core), shape)),
          alerts: told.slice(0, 10).map((alert) => shaped(alertRow(alert, core), shape)),
          readings: latestReadings(equipment),
        });
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/dashboard/equipment/:id",
      role: "viewer",
      summary: "A device with its last 100 readings, 10 alerts and zones",
      params: IdParams,
      query: ShapeQuery,
      async handle({ params: { id }, query: { shape } }) {
        const equipment = book.get(id);
        const page = await readingsPage(equipment, { limit: 100, offset: 0 }, core);
        return ok({
          equipment: shaped(equipmentRow(equipment, core), shape),
          readings: page["readings"] ?? [],
          stats: page["stats"] ?? {},
          alerts: alerts
            .list({ equipmentId: id })
            .slice(0, 10)
            .map((alert) => shaped(alertRow(alert, core), shape)),
          zones: equipment.zone_ids.map((zone) => zoneRow(zones.get(zone), core)),
        });
      },
    }),
  ];
}
