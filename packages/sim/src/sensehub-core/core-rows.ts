/** Rows as the reference's wire has them: 0 and 1 for booleans, JSON as text, times in two forms. */
export interface CoreEquipment {
  readonly id: number;
  name: string;
  description: string | null;
  type: string;
  protocol: string;
  address: string;
  slave_id: number | null;
  polling_interval_ms: number;
  register_mappings: string;
  write_only: 0 | 1;
  status: string;
  enabled: 0 | 1;
  last_reading: string | null;
  last_communication: string | null;
  error_log: string | null;
  calibration_offset: number;
  calibration_scale: number;
  last_watchdog_alert: string | null;
  created_at: string;
  updated_at: string;
}

export interface CoreZone {
  readonly id: number;
  name: string;
  description: string | null;
  parent_id: number | null;
  created_at: string;
  updated_at: string;
}

export interface CoreReading {
  readonly id: number;
  readonly equipment_id: number;
  readonly name: string | null;
  readonly value: number;
  readonly unit: string;
  readonly timestamp: string;
  readonly created_at: string;
}

export interface CoreAutomation {
  readonly id: number;
  name: string;
  description: string | null;
  enabled: 0 | 1;
  priority: number;
  trigger_config: string;
  conditions: string;
  condition_logic: "AND" | "OR";
  actions: string;
  last_run: string | null;
  run_count: number;
  template_id: number | null;
  last_watchdog_alert: string | null;
  created_at: string;
  updated_at: string;
}

export interface CoreAlert {
  readonly id: number;
  equipment_id: number | null;
  zone_id: number | null;
  severity: string;
  message: string;
  acknowledged: 0 | 1;
  acknowledged_by: number | null;
  acknowledged_at: string | null;
  created_at: string;
}

export type CoreRole = "admin" | "operator" | "viewer";

export interface CoreUser {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  role: CoreRole;
  readonly password: string;
}
