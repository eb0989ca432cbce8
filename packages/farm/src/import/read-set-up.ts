import type { Json } from "@steading/kernel";
import * as z from "zod";
import { NewDeviceTemplate } from "../model/device-templates.ts";
import { WireFlag } from "../model/equipment-input.ts";
import type { DeviceTemplate, Preferences, Setting } from "../model/rows.ts";
import { holdsSecret } from "../model/secret-values.ts";
import { SYSTEM_DEVICE_TEMPLATES } from "../model/system-device-templates.ts";
import { Id, LongText, Time } from "./import-cells.ts";
import type { TableReport } from "./import-report.ts";
import type { ImportSource } from "./import-source.ts";
import { plainMappings } from "./read-places.ts";
import { readTable, Skipped, type ReadTable } from "./read-table.ts";

export interface SetUp {
  readonly deviceTemplates: readonly DeviceTemplate[];
  /** Without numbers: the reference has keys alone. */
  readonly settings: readonly Omit<Setting, "id">[];
  readonly reports: readonly TableReport[];
}

/** What people have set about the place, and their own kinds of devices. */
export function readSetUp(
  source: ImportSource,
  { now, settingsThere }: { readonly now: number; readonly settingsThere: ReadonlySet<string> },
): SetUp {
  const deviceTemplates = readDeviceTemplates(source, now);
  const settings = readTable({
    source,
    table: "system_settings",
    schema: z.object({
      key: z.string().min(1).max(200),
      value: z.union([LongText, z.number()]).default(""),
      updated_at: Time.default(now),
    }),
    toRow({ key, value, updated_at }): Omit<Setting, "id"> | Skipped {
      if (settingsThere.has(key)) return new Skipped("this hub has it already");
      const setting = { key, value: settingValue(value), updated_at };
      return holdsSecret(key, setting.value) ? new Skipped("it holds a secret; set it anew here") : setting;
    },
  });
  return {
    deviceTemplates: deviceTemplates.rows,
    settings: settings.rows,
    reports: [deviceTemplates.report(), settings.report()],
  };
}

/** How each person likes their alerts to sound, under the number that their account has here. */
export function readPreferences(
  source: ImportSource,
  accountOf: (user: number) => number | "no account" | "set here",
): ReadTable<Preferences> {
  return readTable({
    source,
    table: "user_preferences",
    schema: z.object({
      user_id: Id,
      sound_alerts_enabled: WireFlag.default(false),
      sound_volume: z.number().default(0.5),
      alert_sound_critical: z.string().max(60).default("alarm"),
      alert_sound_warning: z.string().max(60).default("beep"),
      alert_sound_info: z.string().max(60).default("chime"),
    }),
    toRow({ user_id, ...rest }): Preferences | Skipped {
      const id = accountOf(user_id);
      if (id === "no account") return new Skipped("its user was not taken");
      if (id === "set here") return new Skipped("its user has set it here already");
      return { id, ...rest, sound_volume: Math.min(1, Math.max(0, rest.sound_volume)) };
    },
  });
}

function readDeviceTemplates(source: ImportSource, now: number) {
  const ours = new Set(SYSTEM_DEVICE_TEMPLATES.map(({ id }) => id));
  return readTable({
    source,
    table: "device_templates",
    schema: NewDeviceTemplate.extend({
      id: Id,
      register_mappings: z.preprocess(plainMappings, NewDeviceTemplate.shape.register_mappings),
      is_system: WireFlag.default(false),
      created_at: Time.default(now),
    }),
    toRow(row): DeviceTemplate | Skipped {
      if (row.is_system) return new Skipped("it came with SenseHub; this hub has its own");
      return ours.has(row.id) ? new Skipped("its number belongs to one that comes with this hub") : row;
    },
  });
}

/** Objects, lists and yes or no are JSON in there; a number may be a chat's id, whose digits matter, and stays text. */
function settingValue(value: string | number): Json {
  try {
    const json = JSON.parse(String(value)) as Json;
    return typeof json === "number" ? String(value) : json;
  } catch {
    return String(value);
  }
}
