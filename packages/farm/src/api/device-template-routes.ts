import type { Route } from "@steading/kernel";
import { NewDeviceTemplate } from "../model/device-templates.ts";
import type { DeviceTemplate } from "../model/rows.ts";
import { deviceTemplateRow } from "../rows/template-rows.ts";
import type { ApiDeps } from "./api-deps.ts";
import { created, farmRoute, IdParams, ok, shaped, ShapeQuery, type Shape } from "./farm-route.ts";

export function createDeviceTemplateRoutes({ core }: ApiDeps): readonly Route[] {
  const { deviceTemplates } = core;
  const row = (template: DeviceTemplate, shape: Shape) => shaped(deviceTemplateRow(template), shape);

  return [
    farmRoute({
      method: "GET",
      path: "/api/templates",
      role: "viewer",
      summary: "Device templates, the hub's own first",
      query: ShapeQuery,
      handle: ({ query }) => ok(deviceTemplates.list().map((each) => row(each, query.shape))),
    }),
    farmRoute({
      method: "GET",
      path: "/api/templates/:id",
      role: "viewer",
      summary: "One device template",
      params: IdParams,
      query: ShapeQuery,
      handle: ({ params, query }) => ok(row(deviceTemplates.get(params.id), query.shape)),
    }),
    farmRoute({
      method: "POST",
      path: "/api/templates",
      role: "operator",
      summary: "Add a device template",
      query: ShapeQuery,
      body: NewDeviceTemplate,
      handle: async ({ query, body }, { caller }) =>
        created(row(await deviceTemplates.create(body, caller.principal), query.shape)),
    }),
    farmRoute({
      method: "DELETE",
      path: "/api/templates/:id",
      role: "operator",
      summary: "Delete a device template; the hub's own stay",
      params: IdParams,
      async handle({ params: { id } }, { caller }) {
        await deviceTemplates.remove(id, caller.principal);
        return ok({ message: "Template deleted" });
      },
    }),
  ];
}
