import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { secret } from "./run-record.ts";
import { createSenseHubDatabase, type SenseHubDatabase } from "./sensehub-database.ts";

const DAY = 86_400_000;
const iso = (at: number): string => new Date(at).toISOString();
/** The reference's other form: UTC without saying so. */
const sqlite = (at: number): string => iso(at).slice(0, 19).replace("T", " ");

/** A small farm with a past, and in every table a row that makes no sense. */
export function createOldFarm(
  file: string,
  { now, hash }: { readonly now: number; readonly hash: string },
): SenseHubDatabase {
  mkdirSync(dirname(file));
  const db = createSenseHubDatabase(file);
  db.add(
    "users",
    { id: 1, email: "Anna@Farm.example", password_hash: hash, name: "Anna", role: "admin" },
    { id: 4, email: "ben@farm.example", password_hash: hash, name: "Ben", role: "operator" },
    { id: 5, email: "no address", password_hash: hash, name: "Nobody", role: "viewer" },
    { id: 6, email: "carl@farm.example", password_hash: "plain text", name: "Carl", role: "viewer" },
  );
  db.add("sessions", { user_id: 1, token: "t", expires_at: iso(now + DAY) });
  db.add("user_preferences", { user_id: 4, sound_alerts_enabled: 1, sound_volume: 0.25 }, { user_id: 5 });
  db.add(
    "zones",
    { id: 2, name: "House", description: null, parent_id: null, created_at: sqlite(now - DAY) },
    { id: 3, name: "Bench", description: "left", parent_id: 2 },
    { id: 7, name: "Ring A", description: null, parent_id: 8 },
    { id: 8, name: "Ring B", description: null, parent_id: 7 },
    { id: 9, name: "", description: null, parent_id: null },
  );
  const coil = { name: "pump", label: "Water Pump", register: "0", type: "coil", access: "readwrite", unit: null };
  const soil = { name: "moisture", register: 3, type: "holding", scale: "0.1", unit: "%" };
  db.add(
    "equipment",
    {
      id: 3,
      name: "Relays",
      type: "relay",
      protocol: "modbus",
      address: "127.0.0.1:1",
      slave_id: 2,
      register_mappings: JSON.stringify([coil]),
      enabled: 0,
      created_at: sqlite(now - DAY),
      updated_at: iso(now),
    },
    {
      id: 5,
      name: "Soil",
      type: "sensor",
      protocol: "modbus",
      address: "127.0.0.1:1",
      slave_id: null,
      register_mappings: JSON.stringify([soil]),
      enabled: 0,
      calibration_offset: 1.5,
      last_reading: '{"values":{}}',
    },
    { id: 6, name: "Broken", type: "sensor", protocol: "modbus", address: "a:b:c", register_mappings: "[]" },
    { id: 7, name: "Not JSON", type: "sensor", protocol: "modbus", address: null, register_mappings: "[{" },
  );
  db.run("INSERT INTO equipment (id, name) VALUES (41, 'gone'); DELETE FROM equipment WHERE id = 41");
  db.add(
    "equipment_zones",
    { equipment_id: 5, zone_id: 3 },
    { equipment_id: 5, zone_id: 2 },
    { equipment_id: 6, zone_id: 2 },
    { equipment_id: 3, zone_id: 99 },
  );
  db.add(
    "readings",
    { id: 1, equipment_id: 5, name: "moisture", value: 31.23456, unit: "%", timestamp: sqlite(now - 400 * DAY) },
    { id: 2, equipment_id: 5, name: "moisture", value: 40, unit: "%", timestamp: iso(now - 2 * DAY) },
    { id: 3, equipment_id: 5, name: "moisture", value: 41, unit: "%", timestamp: sqlite(now - DAY) },
    { id: 4, equipment_id: 5, name: null, value: 7, unit: null, timestamp: sqlite(now - DAY) },
    { id: 5, equipment_id: 5, name: "moisture", value: "hot", unit: "%", timestamp: iso(now) },
    { id: 6, equipment_id: 6, name: "x", value: 1, unit: "", timestamp: iso(now) },
    { id: 7, equipment_id: 5, name: "moisture", value: 1, unit: "", timestamp: "yesterday" },
  );
  db.add(
    "relay_events",
    {
      id: 11,
      equipment_id: 3,
      channel: 0,
      state: 1,
      source: "manual",
      automation_id: null,
      created_at: sqlite(now - DAY),
    },
    { id: 12, equipment_id: 3, channel: 0, state: 2, source: "manual", automation_id: null, created_at: sqlite(now) },
  );
  db.add("automation_templates", {
    id: 12,
    name: "Mine",
    category: "Control",
    conditions: "[]",
    actions: "[]",
    is_system: 0,
  });
  db.add(
    "automations",
    {
      id: 4,
      name: "Water",
      enabled: 0,
      priority: 3,
      trigger_config: '{"type":"schedule","cron":"0 6 * * *"}',
      conditions: "[]",
      actions: '[{"type":"control","equipment_id":3,"channel":0,"action":"off"},{"type":"fax","to":"x"}]',
      last_run: sqlite(now - DAY),
      run_count: 17,
      template_id: 12,
    },
    { id: 5, name: "Half", trigger_config: "{", conditions: "[]", actions: "[]" },
  );
  db.add(
    "automation_logs",
    {
      id: 9,
      automation_id: 4,
      status: "success",
      message: "1 actions executed",
      triggered_at: sqlite(now - DAY),
      completed_at: iso(now - DAY),
    },
    { id: 10, automation_id: 5, status: "success", message: "", triggered_at: iso(now), completed_at: iso(now) },
  );
  db.add(
    "alerts",
    {
      id: 21,
      equipment_id: 5,
      zone_id: null,
      severity: "warning",
      message: "Too dry",
      acknowledged: 1,
      acknowledged_by: 4,
      acknowledged_at: sqlite(now),
      created_at: sqlite(now - DAY),
    },
    {
      id: 22,
      equipment_id: 6,
      zone_id: 2,
      severity: "critical",
      message: "Watchdog: gone",
      acknowledged: 0,
      created_at: iso(now - DAY),
    },
    {
      id: 23,
      equipment_id: null,
      zone_id: null,
      severity: "dreadful",
      message: "?",
      acknowledged: 0,
      created_at: iso(now),
    },
  );
  db.add("equipment_errors", {
    id: 2,
    equipment_id: 5,
    error_type: "timeout",
    message: "no answer",
    details: '{"tries":3}',
    resolved: 0,
    created_at: sqlite(now),
  });
  db.add("watchdog_events", {
    id: 3,
    event_type: "equipment",
    target: "5",
    status: "down",
    message: "gone",
    detail: null,
    duration_seconds: null,
    created_at: sqlite(now),
  });
  db.add(
    "system_settings",
    { key: "timezone", value: '{"timezone":"Europe/Berlin"}' },
    { key: "locale", value: "de" },
    { key: "telegram_bot_token", value: secret("123456:telegram-secret") },
  );
  db.add(
    "device_templates",
    {
      id: 1,
      name: "Waveshare",
      category: "relay",
      protocol: "modbus",
      default_slave_id: 1,
      default_polling_interval_ms: 1_000,
      register_mappings: "[]",
      is_system: 1,
    },
    {
      id: 30,
      name: "My probe",
      category: "sensor",
      protocol: "modbus",
      default_slave_id: 4,
      default_polling_interval_ms: 5_000,
      register_mappings: JSON.stringify([soil]),
      is_system: 0,
    },
  );
  db.add("lab_readings", { sample_date: "2026-01-01", nutrient: "pH", value: 6.5 });
  return db;
}
