import type { Json, JsonObject } from "@steading/kernel";
import type { RegisterMapping } from "../modbus/register-mapping.ts";

export const PROTOCOLS = ["modbus", "mqtt", "zigbee", "zwave", "other"] as const;
/** `rtu` is ours: a serial line of this machine. */
export const TRANSPORTS = ["tcp", "rtu_over_tcp", "rtu"] as const;
export const STATUSES = ["online", "offline", "error", "warning", "disabled"] as const;
export type Status = (typeof STATUSES)[number];
export const SEVERITIES = ["info", "warning", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Times are epoch milliseconds in here, and ISO 8601 wherever they leave. */
export interface Zone {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly parent_id: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** What is configured about equipment. How it is doing is in `EquipmentState`, which is not kept across a restart. */
export interface Equipment {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly type: string;
  readonly protocol: (typeof PROTOCOLS)[number];
  readonly address: string | null;
  readonly transport: (typeof TRANSPORTS)[number];
  readonly slave_id: number | null;
  readonly polling_interval_ms: number;
  readonly register_mappings: readonly RegisterMapping[];
  readonly write_only: boolean;
  readonly enabled: boolean;
  readonly calibration_offset: number;
  readonly calibration_scale: number;
  readonly safety: JsonObject | null;
  /** In the order in which they were linked; the first one is `zone`. */
  readonly zone_ids: readonly number[];
  readonly created_at: number;
  readonly updated_at: number;
}

export interface Alert {
  readonly id: number;
  readonly equipment_id: number | null;
  readonly zone_id: number | null;
  readonly automation_id: number | null;
  readonly severity: Severity;
  readonly message: string;
  readonly source: string;
  readonly fingerprint: string | null;
  readonly count: number;
  readonly acknowledged: boolean;
  readonly acknowledged_by: string | null;
  readonly acknowledged_at: number | null;
  readonly created_at: number;
  readonly last_seen_at: number;
  readonly cleared_at: number | null;
}

export interface Automation {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly enabled: boolean;
  readonly priority: number;
  readonly trigger_config: JsonObject;
  readonly conditions: readonly Json[];
  readonly condition_logic: "AND" | "OR";
  readonly actions: readonly JsonObject[];
  readonly template_id: number | null;
  readonly last_run: number | null;
  readonly run_count: number;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface AutomationLog {
  readonly id: number;
  readonly automation_id: number;
  readonly status: "success" | "failure" | "skipped";
  readonly message: string;
  readonly triggered_at: number;
  readonly completed_at: number;
  readonly source: string;
  readonly outcome: "ok" | "partial" | "failed" | "skipped";
  readonly detail: readonly JsonObject[];
}

export interface RelayEvent {
  readonly id: number;
  readonly equipment_id: number;
  readonly channel: number;
  readonly state: boolean;
  readonly source: string;
  readonly automation_id: number | null;
  readonly user_id: string | null;
  readonly confirmed: boolean;
  readonly generation: number;
  readonly created_at: number;
}

export const ERROR_TYPES = ["connection", "timeout", "protocol", "validation", "hardware", "other"] as const;

/** Somebody, or something, reported that equipment has a fault. It stands until it is resolved. */
export interface EquipmentError {
  readonly id: number;
  readonly equipment_id: number;
  readonly error_type: (typeof ERROR_TYPES)[number];
  readonly message: string;
  readonly details: Json;
  readonly resolved: boolean;
  readonly resolved_at: number | null;
  readonly created_at: number;
}

export const WATCHDOG_TYPES = ["connectivity", "system", "automation", "equipment"] as const;

export interface WatchdogEvent {
  readonly id: number;
  readonly event_type: (typeof WATCHDOG_TYPES)[number];
  readonly target: string;
  readonly status: "up" | "down";
  readonly message: string;
  readonly detail: JsonObject | null;
  /** How long what it ends has lasted. */
  readonly duration_seconds: number | null;
  readonly created_at: number;
}

export interface DeviceTemplate {
  readonly id: number;
  readonly name: string;
  readonly category: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly description: string | null;
  readonly protocol: (typeof PROTOCOLS)[number];
  readonly default_slave_id: number;
  readonly default_polling_interval_ms: number;
  readonly register_mappings: readonly RegisterMapping[];
  readonly is_system: boolean;
  readonly created_at: number;
}

export interface AutomationTemplate {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly category: string;
  readonly conditions: readonly Json[];
  readonly condition_logic: "AND" | "OR";
  readonly actions: readonly JsonObject[];
  readonly is_system: boolean;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface Setting {
  readonly id: number;
  readonly key: string;
  readonly value: Json;
  readonly updated_at: number;
}

/** Its id is the account's. */
export interface Preferences {
  readonly id: number;
  readonly sound_alerts_enabled: boolean;
  readonly sound_volume: number;
  readonly alert_sound_critical: string;
  readonly alert_sound_warning: string;
  readonly alert_sound_info: string;
}

export interface FarmRows {
  readonly zones: Zone;
  readonly equipment: Equipment;
  readonly alerts: Alert;
  readonly automations: Automation;
  readonly automation_logs: AutomationLog;
  readonly relay_events: RelayEvent;
  readonly equipment_errors: EquipmentError;
  readonly watchdog_events: WatchdogEvent;
  readonly device_templates: DeviceTemplate;
  readonly automation_templates: AutomationTemplate;
  readonly system_settings: Setting;
  readonly user_preferences: Preferences;
}
export type TableName = keyof FarmRows;

/** The columns of every table, for whoever wants to know what is kept. */
export const COLUMNS: { readonly [T in TableName]: readonly (keyof FarmRows[T])[] } = {
  zones: ["id", "name", "description", "parent_id", "created_at", "updated_at"],
  equipment: [
    ...(["id", "name", "description", "type", "protocol", "address", "transport", "slave_id"] as const),
    ...(["polling_interval_ms", "register_mappings", "write_only", "enabled"] as const),
    ...(["calibration_offset", "calibration_scale", "safety", "zone_ids", "created_at", "updated_at"] as const),
  ],
  alerts: [
    ...(["id", "equipment_id", "zone_id", "automation_id", "severity", "message", "source", "fingerprint"] as const),
    ...(["count", "acknowledged", "acknowledged_by", "acknowledged_at"] as const),
    ...(["created_at", "last_seen_at", "cleared_at"] as const),
  ],
  automations: [
    ...(["id", "name", "description", "enabled", "priority", "trigger_config", "conditions"] as const),
    ...(["condition_logic", "actions", "template_id", "last_run", "run_count", "created_at", "updated_at"] as const),
  ],
  automation_logs: [
    ...(["id", "automation_id", "status", "message", "triggered_at", "completed_at"] as const),
    ...(["source", "outcome", "detail"] as const),
  ],
  relay_events: [
    ...(["id", "equipment_id", "channel", "state", "source", "automation_id", "user_id"] as const),
    ...(["confirmed", "generation", "created_at"] as const),
  ],
  equipment_errors: [
    ...(["id", "equipment_id", "error_type", "message", "details", "resolved", "resolved_at", "created_at"] as const),
  ],
  watchdog_events: [
    ...(["id", "event_type", "target", "status", "message", "detail", "duration_seconds", "created_at"] as const),
  ],
  device_templates: [
    ...(["id", "name", "category", "manufacturer", "model", "description", "protocol", "default_slave_id"] as const),
    ...(["default_polling_interval_ms", "register_mappings", "is_system", "created_at"] as const),
  ],
  automation_templates: [
    ...(["id", "name", "description", "category", "conditions", "condition_logic", "actions"] as const),
    ...(["is_system", "created_at", "updated_at"] as const),
  ],
  system_settings: ["id", "key", "value", "updated_at"],
  user_preferences: [
    ...(["id", "sound_alerts_enabled", "sound_volume"] as const),
    ...(["alert_sound_critical", "alert_sound_warning", "alert_sound_info"] as const),
  ],
};
