import type { JsonObject, Route } from "@steading/kernel";
import * as z from "zod";
import type { Zone } from "../model/rows.ts";
import { equipmentRow } from "../rows/equipment-row.ts";
import { zoneRow } from "../rows/zone-row.ts";
import type { ApiDeps } from "./api-deps.ts";
import { created, farmRoute, IdParams, NumberText, ok, shaped, ShapeQuery } from "./farm-route.ts";

const fields = {
  name: z.string().trim().min(1).max(200),
  description: z.string().max(2_000).nullable().optional(),
  parent_id: z.int().min(1).nullable().optional(),
};

export function createZoneRoutes({ core }: ApiDeps): readonly Route[] {
  const { zones, book } = core;
  const row = (zone: Zone): JsonObject => zoneRow(zone, core);

  return [
    farmRoute({
      method: "GET",
      path: "/api/zones",
      role: "viewer",
      summary: "All zones by name",
      handle: () => ok(zones.list().map(row)),
    }),
    farmRoute({
      method: "POST",
      path: "/api/zones",
      role: "operator",
      summary: "Add a zone",
      body: z.object(fields),
      handle: async ({ body }, { caller }) => created(row(await zones.create(body, caller.principal))),
    }),
    farmRoute({
      method: "GET",
      path: "/api/zones/:id",
      role: "viewer",
      summary: "One zone with its equipment and children",
      params: IdParams,
      query: ShapeQuery,
      handle({ params: { id }, query: { shape } }) {
        const zone = zones.get(id);
        const equipment = book.list().filter(({ zone_ids }) => zone_ids.includes(id));
        return ok({
          ...row(zone),
          equipment: equipment.map((each) => shaped(equipmentRow(each, core), shape)),
          children: zones
            .list()
            .filter(({ parent_id }) => parent_id === id)
            .map(row),
        });
      },
    }),
    farmRoute({
      method: "PUT",
      path: "/api/zones/:id",
      role: "operator",
      summary: "Change a zone",
      params: IdParams,
      body: z.object({ ...fields, name: fields.name.optional() }),
      handle: async ({ params, body }, { caller }) => ok(row(await zones.update(params.id, body, caller.principal))),
    }),
    farmRoute({
      method: "DELETE",
      path: "/api/zones/:id",
      role: "admin",
      summary: "Delete a zone; its children lose their parent",
      params: IdParams,
      async handle({ params: { id } }, { caller }) {
        await zones.remove(id, caller.principal);
        return ok({ message: "Zone deleted" });
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/zones/:id/equipment",
      role: "operator",
      summary: "Put equipment into a zone",
      params: IdParams,
      body: z.object({ equipment_id: z.int().min(1) }),
      async handle({ params: { id }, body: { equipment_id } }, { caller }) {
        await zones.link(id, equipment_id, caller.principal);
        return created({ message: "Equipment added to zone", zone_id: id, equipment_id });
      },
    }),
    farmRoute({
      method: "DELETE",
      path: "/api/zones/:id/equipment/:equipmentId",
      role: "operator",
      summary: "Take equipment out of a zone",
      params: IdParams.extend({ equipmentId: NumberText }),
      async handle({ params: { id, equipmentId } }, { caller }) {
        await zones.unlink(id, equipmentId, caller.principal);
        return ok({ message: "Equipment removed from zone" });
      },
    }),
  ];
}
