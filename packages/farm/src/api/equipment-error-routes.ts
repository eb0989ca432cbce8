import type { JsonObject, Route } from "@steading/kernel";
import * as z from "zod";
import { instant, iso } from "../model/instant.ts";
import { ERROR_TYPES, type EquipmentError } from "../model/rows.ts";
import type { ApiDeps } from "./api-deps.ts";
import {
  created,
  farmRoute,
  FlagText,
  IdParams,
  NumberText,
  ok,
  shaped,
  ShapeQuery,
  type Shape,
} from "./farm-route.ts";

const MOST_SHOWN = 1_000;
const PATH = "/api/equipment/:id/errors";

export function createEquipmentErrorRoutes({ core }: ApiDeps): readonly Route[] {
  const { book, equipmentErrors } = core;

  return [
    farmRoute({
      method: "GET",
      path: PATH,
      role: "viewer",
      summary: "Faults of a device, newest first",
      params: IdParams,
      query: ShapeQuery.extend({
        from: z.string().max(60).optional(),
        limit: NumberText.optional(),
        resolved: FlagText.optional(),
      }),
      handle({ params: { id }, query: { from, limit = 100, resolved, shape } }) {
        book.get(id);
        const since = from === undefined ? undefined : instant(from, "from");
        const found = equipmentErrors.list(id, { from: since, resolved, limit: Math.min(limit, MOST_SHOWN) });
        return ok(found.map((error) => row(error, shape)));
      },
    }),
    farmRoute({
      method: "POST",
      path: PATH,
      role: "operator",
      summary: "Report a fault; the device's status is error until it is resolved",
      params: IdParams,
      query: ShapeQuery,
      body: z.object({
        error_type: z.enum(ERROR_TYPES),
        message: z.string().trim().min(1).max(500),
        details: z.json().optional(),
      }),
      handle: async ({ params, query, body }, { caller }) =>
        created(row(await equipmentErrors.report(params.id, body, caller.principal), query.shape)),
    }),
    farmRoute({
      method: "PUT",
      path: `${PATH}/:errorId/resolve`,
      role: "operator",
      summary: "The fault is mended",
      params: IdParams.extend({ errorId: NumberText }),
      query: ShapeQuery,
      handle: async ({ params: { id, errorId }, query }, { caller }) =>
        ok(row(await equipmentErrors.resolve(id, errorId, caller.principal), query.shape)),
    }),
  ];
}

function row({ resolved_at, created_at, ...error }: EquipmentError, shape: Shape): JsonObject {
  const times = { resolved_at: resolved_at === null ? null : iso(resolved_at), created_at: iso(created_at) };
  return shaped({ ...error, ...times }, shape);
}
