import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import * as z from "zod";
import { jsonOr, WireFlag } from "./equipment-input.ts";
import { SEVERITIES } from "./rows.ts";

const MOST_STEPS = 100;
const count = (most: number) => z.number().min(0).max(most);

const AlertAction = z.looseObject({
  type: z.literal("alert"),
  severity: z.enum(SEVERITIES),
  message: z.string().trim().min(1).max(500),
  equipment_id: z.int().nullable().optional(),
  zone_id: z.int().nullable().optional(),
  fingerprint: z.string().max(200).optional(),
});
const LogAction = z.looseObject({ type: z.literal("log"), message: z.string().max(500) });
const ControlAction = z.looseObject({
  type: z.literal("control"),
  equipment_id: z.int(),
  channel: z.int().nullable().optional(),
  action: z.enum(["on", "off", "toggle", "set"]),
  value: z.unknown().optional(),
  delay_seconds: count(3_600).nullable().optional(),
  duration_seconds: count(21_600).nullable().optional(),
  stagger_delay_seconds: count(3_600).nullable().optional(),
  channel_name: z.string().max(200).nullable().optional(),
});

/** The kinds of action that are kept. An unknown one is refused when it is saved, not skipped when it should run. */
export const AutomationAction = z.discriminatedUnion("type", [AlertAction, LogAction, ControlAction]);
export type AutomationAction = z.infer<typeof AutomationAction>;

const trigger = z.custom<JsonObject>(
  (given) => isJsonObject(given as Json) && TRIGGERS.some((type) => type === (given as JsonObject)["type"]),
  "must be an object whose type is manual, schedule, threshold or event",
);
const TRIGGERS = ["manual", "schedule", "threshold", "event"];

export const Conditions = jsonOr(z.array(z.json()).max(MOST_STEPS));
export const AutomationActions = jsonOr(z.array(AutomationAction).max(MOST_STEPS));

const fields = {
  name: z.string().trim().min(1).max(200),
  description: z.string().max(2_000).nullable(),
  enabled: WireFlag,
  priority: z.int().min(-1_000_000).max(1_000_000),
  trigger_config: jsonOr(trigger),
  conditions: Conditions,
  condition_logic: z.enum(["AND", "OR"]),
  actions: AutomationActions,
  template_id: z.int().nullable(),
};

export const AutomationChange = z.object(fields).partial();
export const NewAutomation = AutomationChange.required({ name: true });
export type AutomationChange = z.infer<typeof AutomationChange>;
export type NewAutomation = z.infer<typeof NewAutomation>;
