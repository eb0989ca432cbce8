import type { CoreEquipment, CoreReading } from "./core-rows.ts";
import { ANYBODY, ok, refusal, type CoreAnswer, type CoreCall, type CoreRoute } from "./core-route.ts";
import { controlAll, controlRelay, relayState } from "./relay-calls.ts";

export const equipmentRoutes: readonly CoreRoute[] = [
  { method: "GET", path: "/api/equipment", roles: ANYBODY, handle: list },
  { method: "GET", path: "/api/equipment/:id", roles: ANYBODY, handle: one },
  { method: "GET", path: "/api/equipment/:id/history", roles: ANYBODY, handle: history },
  { method: "GET", path: "/api/equipment/:id/relay/state", roles: ANYBODY, handle: relayState },
  { method: "POST", path: "/api/equipment/:id/relay/control", roles: ["admin", "operator"], handle: controlRelay },
  { method: "POST", path: "/api/equipment/:id/relay/all", roles: ["admin", "operator"], handle: controlAll },
  { method: "GET", path: "/api/zones", roles: ANYBODY, handle: zones },
];

const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1);

/** `zone` is taken and ignored. */
function list({ site, query }: CoreCall): CoreAnswer {
  const status = query.get("status");
  const search = query.get("search")?.toLowerCase();
  const rows = site.equipment
    .filter((row) => !status || row.status === status)
    .filter((row) => !search || `${row.name}\n${row.description ?? ""}`.toLowerCase().includes(search));
  return ok(rows.toSorted(byName));
}

function one({ site, ids }: CoreCall): CoreAnswer {
  const row = site.equipment.find(({ id }) => id === ids[0]);
  if (!row) return refusal(404, "Not Found", "Equipment not found");
  const linked = new Set(
    site.links.filter(({ equipment_id }) => equipment_id === row.id).map(({ zone_id }) => zone_id),
  );
  return ok({ ...row, zones: site.zones.filter(({ id }) => linked.has(id)) });
}

function zones({ site }: CoreCall): CoreAnswer {
  const count = (zone: number) => site.links.filter(({ zone_id }) => zone_id === zone).length;
  return ok(site.zones.toSorted(byName).map((zone) => ({ ...zone, equipment_count: count(zone.id) })));
}

/** Times are compared as text, so that another form or an offset finds the wrong rows; an unknown id has an empty past. */
function history({ site, ids, query }: CoreCall): CoreAnswer {
  const limit = Number(query.get("limit") ?? 25);
  const offset = Number(query.get("offset") ?? 0);
  if (Number.isNaN(limit) || Number.isNaN(offset)) return refusal(500, "Internal Server Error", "datatype mismatch");
  const from = query.get("from");
  const to = query.get("to");
  const rows = site.readings
    .filter(({ equipment_id }) => equipment_id === ids[0])
    .filter(() => !hasCoil(site.equipment.find(({ id }) => id === ids[0])))
    .filter(({ timestamp }) => (!from || timestamp >= from) && (!to || timestamp <= to))
    .toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
  return ok({ readings: rows.slice(offset, offset + limit), total: rows.length, stats: statsOf(rows), limit, offset });
}

/** One coil among the mappings, and no other metric of the device is told. */
function hasCoil(row: CoreEquipment | undefined): boolean {
  return row !== undefined && row.register_mappings.includes('"type":"coil"');
}

function statsOf(rows: readonly CoreReading[]): object {
  const stats: Record<string, { avg: number; min: number; max: number; unit: string; count: number }> = {};
  for (const name of new Set(rows.map((row) => row.name ?? "_default"))) {
    const values = rows.filter((row) => (row.name ?? "_default") === name);
    const numbers = values.map(({ value }) => value);
    stats[name] = {
      avg: numbers.reduce((sum, value) => sum + value, 0) / numbers.length,
      min: Math.min(...numbers),
      max: Math.max(...numbers),
      unit: values[0]?.unit ?? "",
      count: numbers.length,
    };
  }
  return stats;
}
