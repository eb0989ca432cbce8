import type { JsonObject } from "@steading/kernel";

const KEY: JsonObject = {
  type: "string",
  minLength: 1,
  maxLength: 128,
  description: "Your own name for this one action. A repeat with the same key never acts twice.",
};
const schema = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required }),
});

/**
 * What the tools advertise: the seed's properties, exactly, and ours behind them. Written out, because clients hand them
 * to a model as they are; the checks behind them take a little more than they say.
 */
export const SEED_SCHEMAS = {
  get_equipment_list: schema({
    status: { type: "string", enum: ["online", "offline", "error"] },
    zone: { type: "string" },
    search: { type: "string", description: "Part of a name or description" },
    detail: { type: "string", enum: ["full", "summary"], default: "full" },
    limit: { type: "integer", description: "At most so many" },
  }),
  get_sensor_readings: schema(
    {
      equipment_id: { type: "integer", description: "Equipment ID" },
      from: { type: "string", format: "date-time" },
      to: { type: "string", format: "date-time" },
      limit: { type: "integer", default: 10 },
      metric: { type: "string", description: "Only this metric" },
      bucket: { type: "string", description: "Averages over so long instead of single readings: 5m, 1h, 1d" },
    },
    ["equipment_id"],
  ),
  get_automations: schema({}),
  get_alerts: schema({
    severity: { type: "string", enum: ["critical", "warning", "info"] },
    acknowledged: { type: "boolean" },
  }),
  get_system_status: schema({}),
  control_relay: schema(
    {
      equipment_id: { type: "integer" },
      channel: { type: "integer" },
      state: { type: "boolean" },
      duration_seconds: {
        type: "integer",
        minimum: 1,
        maximum: 21_600,
        description: "Off again by itself after so long",
      },
      reason: { type: "string", description: "Why, for the record" },
      idempotency_key: KEY,
    },
    ["equipment_id", "channel", "state"],
  ),
  trigger_automation: schema({ automation_id: { type: "integer" }, idempotency_key: KEY }, ["automation_id"]),
  toggle_automation: schema(
    {
      automation_id: { type: "integer" },
      enabled: { type: "boolean", description: "The state to set; left out, it is switched to the other one" },
      idempotency_key: KEY,
    },
    ["automation_id"],
  ),
} as const satisfies Record<string, JsonObject>;

/** The seed's sentences, word for word. */
export const SEED_SENTENCES = {
  get_equipment_list: "List all SenseHub equipment with current status, type, zone, and latest readings.",
  get_sensor_readings: "Get readings from sensor equipment. Returns temperature, humidity, pH, EC, light, etc.",
  get_automations: "List all automation programs with name, enabled status, schedule, and last run.",
  get_alerts: "Get active alerts with severity, equipment, zone, and acknowledgement status.",
  get_system_status: "Get SenseHub health including uptime, version, CPU/memory, connectivity.",
  control_relay: "Control a relay channel (ON/OFF). Controls pumps, fans, lights, valves.",
  trigger_automation: "Manually trigger an automation program to run once immediately.",
  toggle_automation: "Enable or disable an automation program.",
} as const satisfies Record<keyof typeof SEED_SCHEMAS, string>;

export type FarmToolName = keyof typeof SEED_SCHEMAS;
