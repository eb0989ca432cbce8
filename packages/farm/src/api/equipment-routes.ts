import type { Route } from "@steading/kernel";
import * as z from "zod";
import { EquipmentChange, NewEquipment } from "../model/equipment-input.ts";
import { STATUSES, type Equipment } from "../model/rows.ts";
import { createEquipmentLines } from "../rows/equipment-lines.ts";
import { equipmentRow, findEquipment } from "../rows/equipment-row.ts";
import type { ApiDeps } from "./api-deps.ts";
import { created, FlagText, farmRoute, IdParams, ok, shaped, ShapeQuery, type Shape } from "./farm-route.ts";

const short = z.string().max(200);

export function createEquipmentRoutes({ core, clock }: ApiDeps): readonly Route[] {
  const { book, field } = core;
  const lines = createEquipmentLines(core);
  const row = (equipment: Equipment, shape: Shape) => shaped(equipmentRow(equipment, core), shape);

  return [
    farmRoute({
      method: "GET",
      path: "/api/equipment",
      role: "viewer",
      summary: "All equipment by name, filtered by status, search and zone",
      query: ShapeQuery.extend({
        status: z.enum(STATUSES).optional(),
        search: short.optional(),
        zone: short.optional(),
      }),
      handle: ({ query: { shape = "wire", ...filter } }) => {
        const data = lines.json(findEquipment(filter, core), shape);
        return { content: { type: "application/json", data } };
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/equipment",
      role: "operator",
      summary: "Add equipment",
      query: ShapeQuery,
      body: NewEquipment,
      handle: async ({ body, query }, { caller }) =>
        created(row(await book.create(body, caller.principal), query.shape)),
    }),
    farmRoute({
      method: "GET",
      path: "/api/equipment/:id",
      role: "viewer",
      summary: "One piece of equipment with its zones",
      params: IdParams,
      query: ShapeQuery,
      handle: ({ params, query }) => ok(row(book.get(params.id), query.shape)),
    }),
    farmRoute({
      method: "PUT",
      path: "/api/equipment/:id",
      role: "operator",
      summary:
        "Change what is given, keep the rest; nothing that puts a channel that is on out of reach, unless force=1",
      params: IdParams,
      query: ShapeQuery.extend({ force: FlagText.optional() }),
      body: EquipmentChange,
      async handle({ params: { id }, query: { shape, force = false }, body }, { caller }) {
        return ok(row(await book.update(id, body, caller.principal, { force }), shape));
      },
    }),
    farmRoute({
      method: "DELETE",
      path: "/api/equipment/:id",
      role: "admin",
      summary: "Delete equipment; not while a channel is on, unless force=1",
      params: IdParams,
      query: z.object({ force: FlagText.optional() }),
      async handle({ params: { id }, query: { force = false } }, { caller }) {
        await book.remove(id, { force, by: caller.principal });
        return ok({ message: "Equipment deleted" });
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/equipment/:id/calibrate",
      role: "admin",
      summary: "Set offset and scale",
      params: IdParams,
      query: ShapeQuery,
      body: z.object({ offset: z.number().default(0), scale: z.number().default(1) }),
      async handle({ params: { id }, query, body: { offset, scale } }, { caller }) {
        const equipment = await book.calibrate(id, { offset, scale }, caller.principal);
        return ok({ message: "Calibration saved", offset, scale, equipment: row(equipment, query.shape) });
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/equipment/:id/test-connection",
      role: "operator",
      summary: "One real read",
      params: IdParams,
      async handle({ params: { id } }) {
        const { protocol, address } = book.get(id);
        const began = clock.monotonic();
        const cycle = await field.pollNow(id);
        const latency = Math.round(clock.monotonic() - began);
        const told = { latency_ms: latency, protocol, address };
        if (!cycle)
          return ok({
            success: false,
            ...told,
            message: "It is not polled: disabled, write-only or without registers.",
          });
        if (cycle.ok) return ok({ success: true, ...told, message: `${cycle.readings.length} values read` });
        return ok({ success: false, ...told, message: book.state(id).errorLog ?? "It did not answer." });
      },
    }),
    farmRoute({
      method: "PATCH",
      path: "/api/equipment/:id/channels/labels",
      role: "operator",
      summary: "Labels by register; an empty one is removed",
      params: IdParams,
      query: ShapeQuery,
      body: z.object({ labels: z.record(z.string(), z.string().max(120)) }),
      handle: async ({ params, query, body }, { caller }) =>
        ok(row(await book.label(params.id, body.labels, caller.principal), query.shape)),
    }),
    farmRoute({
      method: "PATCH",
      path: "/api/equipment/:id/channels/toggle",
      role: "operator",
      summary: "Switch mappings on and off by register",
      params: IdParams,
      query: ShapeQuery,
      body: z.object({ toggles: z.record(z.string(), z.boolean()) }),
      handle: async ({ params, query, body }, { caller }) =>
        ok(row(await book.toggle(params.id, body.toggles, caller.principal), query.shape)),
    }),
  ];
}
