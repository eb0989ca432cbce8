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

export interface FarmRows {
  readonly zones: Zone;
  readonly equipment: Equipment;
  readonly alerts: Alert;
  readonly automations: Automation;
  readonly automation_logs: AutomationLog;
  readonly relay_events: RelayEvent;
}
export type TableName = keyof FarmRows;
