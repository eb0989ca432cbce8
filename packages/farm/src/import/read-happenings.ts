import * as z from "zod";
import { jsonOr, WireFlag } from "../model/equipment-input.ts";
import {
  ERROR_TYPES,
  SEVERITIES,
  WATCHDOG_TYPES,
  type Alert,
  type EquipmentError,
  type RelayEvent,
  type WatchdogEvent,
} from "../model/rows.ts";
import { MOST_ROWS } from "../model/tables.ts";
import { Id, JsonThing, LongText, Ref, Time } from "./import-cells.ts";
import type { TableReport } from "./import-report.ts";
import type { ImportSource } from "./import-source.ts";
import { readTable, Skipped } from "./read-table.ts";

export interface Known {
  readonly zones: ReadonlySet<number>;
  readonly equipment: ReadonlySet<number>;
  readonly automations: ReadonlySet<number>;
  /** This hub has run and written its own. */
  readonly watchdogThere: boolean;
  /** The account's name of a user of the source. */
  userName(id: number): string;
}

export interface Happenings {
  readonly alerts: readonly Alert[];
  readonly relayEvents: readonly RelayEvent[];
  readonly errors: readonly EquipmentError[];
  readonly watchdog: readonly WatchdogEvent[];
  readonly reports: readonly TableReport[];
}

const Short = z.string().trim().min(1).max(60);
const NO_EQUIPMENT = "its equipment was not taken";

/** What happened on the farm, besides readings. */
export function readHappenings(source: ImportSource, known: Known): Happenings {
  const alerts = readAlerts(source, known);
  const relayEvents = readTable({
    source,
    table: "relay_events",
    most: MOST_ROWS.relay_events,
    schema: z.object({
      id: Id,
      equipment_id: Id,
      channel: z.int().min(0).max(65_535),
      state: WireFlag,
      source: Short.default("manual"),
      automation_id: Ref,
      user_id: z.unknown().optional(),
      confirmed: WireFlag.default(false), // the reference never looks, so nothing is known
      generation: z.int().min(0).default(0),
      created_at: Time,
    }),
    toRow({ user_id, ...row }): RelayEvent | Skipped {
      if (!known.equipment.has(row.equipment_id)) return new Skipped(NO_EQUIPMENT);
      return { ...row, user_id: typeof user_id === "number" ? known.userName(user_id) : null };
    },
  });
  const errors = readTable({
    source,
    table: "equipment_errors",
    most: MOST_ROWS.equipment_errors,
    schema: z.object({
      id: Id,
      equipment_id: Id,
      error_type: z.enum(ERROR_TYPES).default("other"),
      message: LongText,
      details: jsonOr(z.json()).default(null),
      resolved: WireFlag.default(false),
      resolved_at: Time.nullable().default(null),
      created_at: Time,
    }),
    toRow: (row): EquipmentError | Skipped => (known.equipment.has(row.equipment_id) ? row : new Skipped(NO_EQUIPMENT)),
  });
  const watchdog = readTable({
    source,
    table: "watchdog_events",
    most: MOST_ROWS.watchdog_events,
    schema: z.object({
      id: Id,
      event_type: z.enum(WATCHDOG_TYPES),
      target: z.string().max(300).default(""),
      status: z.enum(["up", "down"]),
      message: LongText.default(""),
      detail: JsonThing.nullable().default(null),
      duration_seconds: z.number().min(0).nullable().default(null),
      created_at: Time,
    }),
    toRow: (row): WatchdogEvent | Skipped =>
      known.watchdogThere ? new Skipped("this hub has written its own already") : row,
  });
  return {
    alerts: alerts.rows,
    relayEvents: relayEvents.rows,
    errors: errors.rows,
    watchdog: watchdog.rows,
    reports: [alerts.report(), relayEvents.report(), errors.report(), watchdog.report()],
  };
}

function readAlerts(source: ImportSource, known: Known) {
  return readTable({
    source,
    table: "alerts",
    most: MOST_ROWS.alerts,
    schema: z.object({
      id: Id,
      equipment_id: Ref,
      zone_id: Ref,
      automation_id: Ref,
      severity: z.enum(SEVERITIES),
      message: LongText,
      source: Short.optional(),
      fingerprint: z.string().max(200).nullable().default(null),
      count: z.int().min(1).default(1),
      acknowledged: WireFlag.default(false),
      acknowledged_by: Ref,
      acknowledged_at: Time.nullable().default(null),
      created_at: Time,
      last_seen_at: Time.optional(),
      cleared_at: Time.nullable().default(null),
    }),
    toRow(row, account): Alert {
      const { equipment_id, zone_id, automation_id, message, acknowledged, acknowledged_by, created_at } = row;
      const link = (id: number | null, there: ReadonlySet<number>, what: string): number | null => {
        if (id === null || there.has(id)) return id;
        account.note(row.id, `its ${what} was not taken; it names none`);
        return null;
      };
      return {
        ...row,
        equipment_id: link(equipment_id, known.equipment, "equipment"),
        zone_id: link(zone_id, known.zones, "zone"),
        automation_id: link(automation_id, known.automations, "automation"),
        source: row.source ?? (message.startsWith("Watchdog:") ? "watchdog" : "sensehub"),
        acknowledged_by: acknowledged_by === null ? null : known.userName(acknowledged_by),
        last_seen_at: row.last_seen_at ?? created_at,
        // For the reference an alert ends when somebody has acknowledged it.
        cleared_at: row.cleared_at ?? (acknowledged ? (row.acknowledged_at ?? created_at) : null),
      };
    },
  });
}
