import type { JsonObject } from "@steading/kernel";
import * as z from "zod";
import { AutomationAction } from "../model/automation-input.ts";
import { WireFlag } from "../model/equipment-input.ts";
import type { Automation, AutomationLog, AutomationTemplate } from "../model/rows.ts";
import { MOST_ROWS } from "../model/tables.ts";
import { Description, Id, JsonList, JsonObjects, JsonThing, LongText, Ref, Text, Time } from "./import-cells.ts";
import type { TableAccount, TableReport } from "./import-report.ts";
import type { ImportSource } from "./import-source.ts";
import { readTable, Skipped } from "./read-table.ts";

export interface Programs {
  readonly templates: readonly AutomationTemplate[];
  readonly automations: readonly Automation[];
  readonly logs: readonly AutomationLog[];
  readonly reports: readonly TableReport[];
}

const TRIGGERS = ["manual", "schedule", "threshold", "event"];
const OUTCOMES = { success: "ok", failure: "failed", skipped: "skipped" } as const;

const Steps = {
  conditions: JsonList,
  condition_logic: z.enum(["AND", "OR"]).default("AND"),
  actions: JsonObjects,
};

/** Automations with their templates and what they did. */
export function readPrograms(source: ImportSource, now: number): Programs {
  const times = { created_at: Time.default(now), updated_at: Time.default(now) };
  const templates = readTable({
    source,
    table: "automation_templates",
    schema: z.object({
      id: Id,
      name: Text,
      description: Description,
      category: Text.default("General"),
      ...Steps,
      is_system: WireFlag.default(false),
      ...times,
    }),
    toRow: (template): AutomationTemplate => template,
  });
  const templateIds = new Set(templates.rows.map(({ id }) => id));
  const automations = readTable({
    source,
    table: "automations",
    schema: z.object({
      id: Id,
      name: Text,
      description: Description,
      enabled: WireFlag.default(true),
      priority: z.int().default(0),
      trigger_config: JsonThing.default({ type: "manual" }),
      ...Steps,
      template_id: Ref,
      last_run: Time.nullable().default(null),
      run_count: z.int().min(0).default(0),
      ...times,
    }),
    toRow(row, account): Automation {
      tellUnknown(row, account);
      if (row.template_id === null || templateIds.has(row.template_id)) return row;
      account.note(row.id, "its template was not taken; it stands for itself");
      return { ...row, template_id: null };
    },
  });
  const automationIds = new Set(automations.rows.map(({ id }) => id));
  const logs = readTable({
    source,
    table: "automation_logs",
    most: MOST_ROWS.automation_logs,
    schema: z.object({
      id: Id,
      automation_id: Id,
      status: z.enum(["success", "failure", "skipped"]),
      message: LongText.default(""),
      triggered_at: Time,
      completed_at: Time.optional(),
    }),
    toRow(row): AutomationLog | Skipped {
      if (!automationIds.has(row.automation_id)) return new Skipped("its automation was not taken");
      const { completed_at = row.triggered_at, status } = row;
      return { ...row, completed_at, source: "sensehub", outcome: OUTCOMES[status], detail: [] };
    },
  });
  return {
    templates: templates.rows,
    automations: automations.rows,
    logs: logs.rows,
    reports: [templates.report(), automations.report(), logs.report()],
  };
}

/** What this hub does not know is kept, and is an error when it runs: left out, nobody would miss it until it is needed. */
function tellUnknown(
  {
    id,
    trigger_config,
    actions,
  }: { readonly id: number; readonly trigger_config: JsonObject; readonly actions: readonly JsonObject[] },
  account: TableAccount,
): void {
  if (!TRIGGERS.some((known) => known === trigger_config["type"])) {
    account.note(id, "kept, but its trigger is of a kind that this hub does not know");
  }
  if (actions.some((action) => !AutomationAction.safeParse(action).success)) {
    account.note(id, "kept, but has an action that this hub does not know; that action is an error when it runs");
  }
}
