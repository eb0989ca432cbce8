import type { JsonObject } from "@steading/kernel";
import * as z from "zod";
import { farmError } from "../farm-errors.ts";
import { AutomationActions, Conditions } from "./automation-input.ts";
import type { FarmEvents } from "./farm-events.ts";
import type { Automation, AutomationTemplate } from "./rows.ts";
import { SYSTEM_AUTOMATION_TEMPLATES } from "./system-automation-templates.ts";
import type { RowChange, Tables } from "./tables.ts";

export const AutomationTemplateChange = z
  .object({
    name: z.string().trim().min(1).max(200),
    description: z.string().max(2_000).nullable(),
    category: z.string().trim().min(1).max(60),
    conditions: Conditions,
    condition_logic: z.enum(["AND", "OR"]),
    actions: AutomationActions,
  })
  .partial();
export const NewAutomationTemplate = AutomationTemplateChange.required({ name: true });
export type AutomationTemplateChange = z.infer<typeof AutomationTemplateChange>;
export type NewAutomationTemplate = z.infer<typeof NewAutomationTemplate>;

/** Conditions and actions that several automations share. Changing one changes all that hang on it. */
export interface AutomationTemplates {
  list(): readonly AutomationTemplate[];
  get(id: number): AutomationTemplate;
  linked(id: number): readonly Automation[];
  create(input: NewAutomationTemplate, by: string): Promise<AutomationTemplate>;
  update(
    id: number,
    input: AutomationTemplateChange,
    by: string,
  ): Promise<{ readonly template: AutomationTemplate; readonly propagatedTo: number }>;
  /** Automations that hang on it keep what they have and stand for themselves. */
  remove(id: number, by: string): Promise<{ readonly unlinked: number }>;
}

export function createAutomationTemplates({
  tables,
  events,
  now,
}: {
  readonly tables: Tables;
  readonly events: FarmEvents;
  readonly now: () => number;
}): AutomationTemplates {
  /** A row of the same number is a changed one of the hub's own. */
  function list(): readonly AutomationTemplate[] {
    const rows = tables.all("automation_templates");
    const changed = new Set(rows.map(({ id }) => id));
    return [...SYSTEM_AUTOMATION_TEMPLATES.filter(({ id }) => !changed.has(id)), ...rows].toSorted(
      (a, b) => a.id - b.id,
    );
  }
  function get(id: number): AutomationTemplate {
    const found = list().find((template) => template.id === id);
    if (!found) throw farmError("TEMPLATE_UNKNOWN", `There is no automation template ${id}.`);
    return found;
  }
  const linked = (id: number): readonly Automation[] =>
    tables.all("automations").filter(({ template_id }) => template_id === id);

  return {
    list,
    get,
    linked,
    async create(input, by) {
      const at = now();
      const template: AutomationTemplate = {
        id: tables.nextId("automation_templates"),
        name: input.name,
        description: input.description ?? null,
        category: input.category ?? "General",
        conditions: input.conditions ?? [],
        condition_logic: input.condition_logic ?? "AND",
        actions: (input.actions ?? []) as readonly JsonObject[], // checked by the schema, and JSON by where they came from
        is_system: false,
        created_at: at,
        updated_at: at,
      };
      const data = { template_id: template.id, name: template.name };
      await tables.commit([{ table: "automation_templates", put: template }], {
        kind: "farm.automation-template.created",
        by,
        data,
      });
      return template;
    },
    async update(id, input, by) {
      const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
      const at = now();
      const template: AutomationTemplate = { ...get(id), ...given, updated_at: at };
      const { conditions, condition_logic, actions } = template;
      const followers = linked(id);
      const changes: RowChange[] = [
        { table: "automation_templates", put: template },
        ...followers.map((automation): RowChange => ({
          table: "automations",
          put: { ...automation, conditions, condition_logic, actions, updated_at: at },
        })),
      ];
      const data = { template_id: id, propagated_to: followers.length };
      await tables.commit(changes, { kind: "farm.automation-template.updated", by, data });
      events.emit({ kind: "template", id, data: { id, name: template.name, propagated_to: followers.length } });
      for (const automation of followers) events.emit({ kind: "automation", change: "updated", id: automation.id });
      return { template, propagatedTo: followers.length };
    },
    async remove(id, by) {
      const { is_system, name } = get(id);
      if (is_system) {
        throw farmError("TEMPLATE_IS_SYSTEM", `The automation template ${id} comes with the hub and stays.`);
      }
      const followers = linked(id);
      await tables.commit(
        [
          { table: "automation_templates", delete: id },
          ...followers.map((automation): RowChange => ({
            table: "automations",
            put: { ...automation, template_id: null },
          })),
        ],
        { kind: "farm.automation-template.deleted", by, data: { template_id: id, name } },
      );
      for (const automation of followers) events.emit({ kind: "automation", change: "updated", id: automation.id });
      return { unlinked: followers.length };
    },
  };
}
