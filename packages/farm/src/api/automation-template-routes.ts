import type { Route } from "@steading/kernel";
import { AutomationTemplateChange, NewAutomationTemplate } from "../model/automation-templates.ts";
import type { AutomationTemplate } from "../model/rows.ts";
import { automationRow } from "../rows/automation-row.ts";
import { automationTemplateRow } from "../rows/template-rows.ts";
import type { ApiDeps } from "./api-deps.ts";
import { created, farmRoute, IdParams, ok, shaped, ShapeQuery, type Shape } from "./farm-route.ts";

const BASE = "/api/automation-templates";

export function createAutomationTemplateRoutes({ core }: ApiDeps): readonly Route[] {
  const { automationTemplates } = core;
  const row = (template: AutomationTemplate, shape: Shape) => shaped(automationTemplateRow(template), shape);

  return [
    // The reference has the list at two addresses, and clients use either.
    ...[BASE, "/api/automations/templates"].map((path) =>
      farmRoute({
        method: "GET",
        path,
        role: "viewer",
        summary: "Automation templates",
        query: ShapeQuery,
        handle: ({ query }) => ok(automationTemplates.list().map((each) => row(each, query.shape))),
      }),
    ),
    farmRoute({
      method: "POST",
      path: BASE,
      role: "operator",
      summary: "Add an automation template",
      query: ShapeQuery,
      body: NewAutomationTemplate,
      handle: async ({ query, body }, { caller }) =>
        created(row(await automationTemplates.create(body, caller.principal), query.shape)),
    }),
    farmRoute({
      method: "GET",
      path: `${BASE}/:id`,
      role: "viewer",
      summary: "One automation template",
      params: IdParams,
      query: ShapeQuery,
      handle: ({ params, query }) => ok(row(automationTemplates.get(params.id), query.shape)),
    }),
    farmRoute({
      method: "GET",
      path: `${BASE}/:id/automations`,
      role: "viewer",
      summary: "The automations that hang on it",
      params: IdParams,
      query: ShapeQuery,
      handle({ params: { id }, query: { shape } }) {
        automationTemplates.get(id);
        return ok(automationTemplates.linked(id).map((each) => shaped(automationRow(each), shape)));
      },
    }),
    farmRoute({
      method: "PUT",
      path: `${BASE}/:id`,
      role: "operator",
      summary: "Change it, and with it every automation that hangs on it",
      params: IdParams,
      query: ShapeQuery,
      body: AutomationTemplateChange,
      async handle({ params: { id }, query: { shape }, body }, { caller }) {
        const { template, propagatedTo } = await automationTemplates.update(id, body, caller.principal);
        return ok({ ...row(template, shape), propagated_to: propagatedTo });
      },
    }),
    farmRoute({
      method: "DELETE",
      path: `${BASE}/:id`,
      role: "operator",
      summary: "Delete it; automations that hang on it stay as they are",
      params: IdParams,
      async handle({ params: { id } }, { caller }) {
        const { unlinked } = await automationTemplates.remove(id, caller.principal);
        return ok({ message: "Template deleted", unlinked_automations: unlinked });
      },
    }),
  ];
}
