import { createRequire } from "node:module";
import type DatabaseType from "better-sqlite3";

// The driver is a dependency of packages/store.
const require = createRequire(new URL("../../packages/store/package.json", import.meta.url));
const Database = require("better-sqlite3") as typeof DatabaseType;

type Row = Readonly<Record<string, string | number | null>>;

export interface SenseHubDatabase {
  add(table: string, ...rows: readonly Row[]): void;
  /** As fast as it goes, for many. */
  addMany(table: string, count: number, row: (n: number) => Row): void;
  run(sql: string): void;
  close(): void;
}

/** A file as the reference makes it: the columns of the farm contract's section 1, numbers counted, text times, WAL. */
export function createSenseHubDatabase(file: string): SenseHubDatabase {
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  for (const [table, columns] of Object.entries(TABLES)) db.exec(`CREATE TABLE ${table} (${columns})`);
  const insert = (table: string, row: Row): DatabaseType.Statement =>
    db.prepare(
      `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row)
        .map((key) => `@${key}`)
        .join(", ")})`,
    );
  return {
    add(table, ...rows) {
      for (const row of rows) insert(table, row).run(row);
    },
    addMany(table, count, row) {
      const statement = insert(table, row(0));
      db.transaction(() => {
        for (let n = 0; n < count; n++) statement.run(row(n));
      })();
    },
    run: (sql) => void db.exec(sql),
    close: () => void db.close(),
  };
}

const ID = "id INTEGER PRIMARY KEY AUTOINCREMENT";
const TIMES = "created_at TEXT DEFAULT CURRENT_TIMESTAMP, updated_at TEXT DEFAULT CURRENT_TIMESTAMP";
const CREATED = "created_at TEXT DEFAULT CURRENT_TIMESTAMP";

const TABLES = {
  users: `${ID}, email TEXT UNIQUE, password_hash TEXT, name TEXT, role TEXT DEFAULT 'viewer', is_cloud_synced INTEGER DEFAULT 0, last_login TEXT, ${TIMES}`,
  sessions: `${ID}, user_id INTEGER, token TEXT UNIQUE, expires_at TEXT, ${CREATED}`,
  user_preferences: `${ID}, user_id INTEGER UNIQUE, sound_alerts_enabled INTEGER DEFAULT 0, sound_volume REAL DEFAULT 0.5, alert_sound_critical TEXT DEFAULT 'alarm', alert_sound_warning TEXT DEFAULT 'beep', alert_sound_info TEXT DEFAULT 'chime'`,
  equipment: `${ID}, name TEXT, description TEXT, type TEXT, protocol TEXT, address TEXT, slave_id INTEGER, polling_interval_ms INTEGER DEFAULT 1000, register_mappings TEXT, write_only INTEGER DEFAULT 0, status TEXT DEFAULT 'offline', enabled INTEGER DEFAULT 1, last_reading TEXT, last_communication TEXT, error_log TEXT, calibration_offset REAL DEFAULT 0, calibration_scale REAL DEFAULT 1, last_watchdog_alert TEXT, ${TIMES}`,
  zones: `${ID}, name TEXT, description TEXT, parent_id INTEGER, ${TIMES}`,
  equipment_zones: "equipment_id INTEGER, zone_id INTEGER, UNIQUE (equipment_id, zone_id)",
  readings: `${ID}, equipment_id INTEGER, name TEXT, value REAL, unit TEXT, timestamp TEXT, ${CREATED}`,
  relay_events: `${ID}, equipment_id INTEGER, channel INTEGER, state INTEGER, source TEXT, automation_id INTEGER, ${CREATED}`,
  equipment_errors: `${ID}, equipment_id INTEGER, error_type TEXT, message TEXT, details TEXT, resolved INTEGER DEFAULT 0, resolved_at TEXT, ${CREATED}`,
  watchdog_events: `${ID}, event_type TEXT, target TEXT, status TEXT, message TEXT, detail TEXT, duration_seconds INTEGER, ${CREATED}`,
  automations: `${ID}, name TEXT, description TEXT, enabled INTEGER DEFAULT 1, priority INTEGER DEFAULT 0, trigger_config TEXT, conditions TEXT, condition_logic TEXT DEFAULT 'AND', actions TEXT, last_run TEXT, run_count INTEGER DEFAULT 0, template_id INTEGER, last_watchdog_alert TEXT, ${TIMES}`,
  automation_logs: `${ID}, automation_id INTEGER, status TEXT, message TEXT, triggered_at TEXT, completed_at TEXT`,
  automation_templates: `${ID}, name TEXT, description TEXT, category TEXT, conditions TEXT, condition_logic TEXT DEFAULT 'AND', actions TEXT, is_system INTEGER DEFAULT 0, ${TIMES}`,
  alerts: `${ID}, equipment_id INTEGER, zone_id INTEGER, severity TEXT, message TEXT, acknowledged INTEGER DEFAULT 0, acknowledged_by INTEGER, acknowledged_at TEXT, ${CREATED}`,
  system_settings: "key TEXT PRIMARY KEY, value TEXT, updated_at TEXT DEFAULT CURRENT_TIMESTAMP",
  device_templates: `${ID}, name TEXT, category TEXT, manufacturer TEXT, model TEXT, description TEXT, protocol TEXT, default_slave_id INTEGER, default_polling_interval_ms INTEGER, register_mappings TEXT, is_system INTEGER DEFAULT 0, ${CREATED}`,
  lab_readings: `${ID}, sample_date TEXT, nutrient TEXT, value REAL, unit TEXT, zone_id INTEGER, notes TEXT`,
} as const;
