import type { CoreAlert, CoreAutomation, CoreEquipment, CoreReading, CoreUser, CoreZone } from "./core-rows.ts";
import { isoTime, sqliteTime } from "./core-times.ts";

/** What the core knows. A test may change it at will; answers follow at once. */
export interface CoreSite {
  readonly equipment: CoreEquipment[];
  readonly zones: CoreZone[];
  readonly links: { equipment_id: number; zone_id: number }[];
  readonly readings: CoreReading[];
  readonly automations: CoreAutomation[];
  readonly alerts: CoreAlert[];
  readonly users: CoreUser[];
}

const PASSWORD = "hoe by the door";

/** A greenhouse with a sensor, a relay board and a board that never answers; two automations, two alerts, three users. */
export function createCoreSite(now: number): CoreSite {
  const made = sqliteTime(now - 86_400_000);
  const seen = isoTime(now - 5_000);
  const coil = (name: string, register: number) => ({
    name,
    register: String(register),
    type: "coil",
    access: "readwrite",
  });
  const base = {
    description: null,
    protocol: "modbus",
    polling_interval_ms: 1_000,
    write_only: 0,
    status: "online",
    enabled: 1,
    error_log: null,
    calibration_offset: 0,
    calibration_scale: 1,
    last_watchdog_alert: null,
    created_at: made,
    updated_at: made,
  } as const;
  const sensor: CoreEquipment = {
    ...base,
    id: 1,
    name: "Greenhouse Temp/Humidity",
    type: "sensor",
    address: "192.168.1.50:502",
    slave_id: 1,
    register_mappings: JSON.stringify([
      { name: "temperature", register: "0", type: "input", dataType: "int16", scale: 0.1, unit: "C" },
      { name: "humidity", register: "1", type: "input", scale: 0.1, unit: "%" },
    ]),
    last_reading: JSON.stringify({
      values: { temperature: { value: 24.5, unit: "C" }, humidity: { value: 61.2, unit: "%" } },
    }),
    last_communication: seen,
  };
  const relays: CoreEquipment = {
    ...base,
    id: 2,
    name: "Pump Board",
    type: "relay",
    address: "192.168.1.51:502",
    slave_id: null,
    register_mappings: JSON.stringify([coil("ch0", 0), { ...coil("ch1", 1), label: "Water Pump" }, coil("ch2", 2)]),
    last_reading: JSON.stringify({ relayStates: { "0": false, "1": false, "2": false } }),
    last_communication: seen,
  };
  const mute: CoreEquipment = {
    ...base,
    id: 3,
    name: "Gate Board",
    type: "relay",
    address: "192.168.1.52:4196",
    slave_id: 6,
    register_mappings: JSON.stringify([coil("gate", 1)]),
    write_only: 1,
    status: "offline",
    last_reading: null,
    last_communication: null,
  };
  return {
    equipment: [sensor, relays, mute],
    zones: [
      { id: 1, name: "Greenhouse", description: null, parent_id: null, created_at: made, updated_at: made },
      { id: 2, name: "North Bench", description: "", parent_id: 1, created_at: made, updated_at: made },
    ],
    links: [
      { equipment_id: 1, zone_id: 2 },
      { equipment_id: 2, zone_id: 1 },
    ],
    readings: createReadings(now),
    automations: [
      automation({ id: 1, name: "Morning water", trigger: { type: "schedule", cron: "0 6 * * *" }, made }),
      { ...automation({ id: 2, name: "Night purge", trigger: { type: "manual" }, made }), enabled: 0 },
    ],
    alerts: [
      alert({ id: 1, equipment_id: 1, severity: "warning", message: "Humidity above 60 %", created_at: made }),
      {
        ...alert({
          id: 2,
          equipment_id: 3,
          severity: "critical",
          message: "Watchdog: Gate Board silent",
          created_at: seen,
        }),
        acknowledged: 1,
        acknowledged_by: 1,
        acknowledged_at: seen,
      },
    ],
    users: (["admin", "operator", "viewer"] as const).map((role, i) => ({
      id: i + 1,
      email: `${role}@sensehub.example`,
      name: role,
      role,
      password: PASSWORD,
    })),
  };
}

/** The form of the time depends on who wrote the row: the poller or the database itself. */
function createReadings(now: number): CoreReading[] {
  return Array.from({ length: 60 }, (_, i) => {
    const at = now - (60 - i) * 60_000;
    const isTemperature = i % 2 === 0;
    return {
      id: i + 1,
      equipment_id: 1,
      name: isTemperature ? "temperature" : "humidity",
      value: isTemperature ? 24 + i / 100 : 60 + i / 50,
      unit: isTemperature ? "C" : "%",
      timestamp: i % 4 < 2 ? isoTime(at) : sqliteTime(at),
      created_at: sqliteTime(at),
    };
  });
}

function automation({
  id,
  name,
  trigger,
  made,
}: {
  readonly id: number;
  readonly name: string;
  readonly trigger: object;
  readonly made: string;
}): CoreAutomation {
  const actions = [
    { type: "control", equipment_id: 2, channel: id, action: "on" },
    { type: "control", equipment_id: 2, channel: id, action: "off", delay_seconds: 0 },
  ];
  return {
    id,
    name,
    description: null,
    enabled: 1,
    priority: 0,
    trigger_config: JSON.stringify(trigger),
    conditions: "[]",
    condition_logic: "AND",
    actions: JSON.stringify(actions),
    last_run: null,
    run_count: 0,
    template_id: null,
    last_watchdog_alert: null,
    created_at: made,
    updated_at: made,
  };
}

function alert(row: Pick<CoreAlert, "id" | "equipment_id" | "severity" | "message" | "created_at">): CoreAlert {
  return { zone_id: null, acknowledged: 0, acknowledged_by: null, acknowledged_at: null, ...row };
}
