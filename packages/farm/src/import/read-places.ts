import { isJsonObject, type Json } from "@steading/kernel";
import * as z from "zod";
import { addressProblem, NewEquipment } from "../model/equipment-input.ts";
import type { Equipment, Zone } from "../model/rows.ts";
import { Description, Id, Ref, Text, Time } from "./import-cells.ts";
import type { TableReport } from "./import-report.ts";
import type { ImportSource } from "./import-source.ts";
import { readTable, Skipped } from "./read-table.ts";

export interface Places {
  readonly zones: readonly Zone[];
  readonly equipment: readonly Equipment[];
  readonly reports: readonly TableReport[];
}

/** Zones, equipment, and what stands where. */
export function readPlaces(source: ImportSource, now: number): Places {
  const zones = readZones(source, now);
  const equipment = readEquipment(source, now);
  const zoneIds = new Set(zones.rows.map(({ id }) => id));
  const equipmentIds = new Set(equipment.rows.map(({ id }) => id));
  const links = readTable({
    source,
    table: "equipment_zones",
    schema: z.object({ equipment_id: Id, zone_id: Id }),
    toRow(link) {
      if (!equipmentIds.has(link.equipment_id)) return new Skipped("its equipment was not taken");
      return zoneIds.has(link.zone_id) ? link : new Skipped("its zone was not taken");
    },
  });
  const zonesOf = new Map<number, Set<number>>();
  for (const { equipment_id, zone_id } of links.rows) {
    const known = zonesOf.get(equipment_id) ?? new Set();
    zonesOf.set(equipment_id, known.add(zone_id));
  }
  const cut = withSoundParents(zones.rows, (id, why) => zones.account.note(id, why));
  return {
    zones: cut,
    equipment: equipment.rows.map((row) => ({ ...row, zone_ids: [...(zonesOf.get(row.id) ?? [])] })),
    reports: [zones.report(), equipment.report(), links.report()],
  };
}

function readZones(source: ImportSource, now: number) {
  return readTable({
    source,
    table: "zones",
    schema: z.object({
      id: Id,
      name: Text,
      description: Description,
      parent_id: Ref,
      created_at: Time.default(now),
      updated_at: Time.default(now),
    }),
    toRow: (zone): Zone => zone,
  });
}

/** A zone that would be inside itself, or inside one that is not there, stands for itself: as if that one were deleted. */
function withSoundParents(zones: readonly Zone[], note: (id: number, why: string) => void): readonly Zone[] {
  const byId = new Map(zones.map((zone) => [zone.id, zone]));
  for (const { id } of zones) {
    const seen = new Set([id]);
    for (let at = byId.get(id); at !== undefined && at.parent_id !== null; at = byId.get(at.parent_id)) {
      const missing = !byId.has(at.parent_id);
      if (!missing && !seen.has(at.parent_id)) {
        seen.add(at.parent_id);
        continue;
      }
      note(at.id, missing ? "its parent was not taken; it has none" : "it was inside itself; it has no parent");
      byId.set(at.id, { ...at, parent_id: null });
      break;
    }
  }
  return [...byId.values()];
}

const ImportedEquipment = NewEquipment.extend({
  id: Id,
  register_mappings: z.preprocess(plainMappings, NewEquipment.shape.register_mappings),
  calibration_offset: z.number().default(0),
  calibration_scale: z.number().default(1),
});

function readEquipment(source: ImportSource, now: number) {
  return readTable({
    source,
    table: "equipment",
    schema: ImportedEquipment.extend({ created_at: Time.default(now), updated_at: Time.default(now) }),
    toRow(given): Equipment | Skipped {
      const row: Equipment = {
        id: given.id,
        name: given.name,
        description: given.description ?? null,
        type: given.type ?? "sensor",
        protocol: given.protocol ?? "modbus",
        address: given.address ?? null,
        transport: given.transport ?? "tcp",
        slave_id: given.slave_id ?? null,
        polling_interval_ms: given.polling_interval_ms ?? 1_000,
        register_mappings: given.register_mappings ?? [],
        write_only: given.write_only ?? false,
        enabled: given.enabled ?? true,
        calibration_offset: given.calibration_offset,
        calibration_scale: given.calibration_scale,
        safety: given.safety ?? null,
        zone_ids: [],
        created_at: given.created_at,
        updated_at: given.updated_at,
      };
      const problem = addressProblem(row);
      return problem === undefined ? row : new Skipped(problem);
    },
  });
}

const NUMBERS = new Set(["scale", "offset", "quantity", "functionCode", "interlockWith"]);

/** The reference calculates with numbers that are texts, and writes null for what nobody filled in. */
export function plainMappings(given: unknown): unknown {
  const list: unknown = typeof given === "string" ? parsed(given) : given;
  if (!Array.isArray(list)) return list;
  return list.map((each: unknown) => {
    if (!isJsonObject(each as Json)) return each; // only asked
    const entries = Object.entries(each as object).filter(([, value]) => value !== null && value !== "");
    return Object.fromEntries(entries.map(([key, value]) => [key, NUMBERS.has(key) ? asNumber(value) : value]));
  });
}

function parsed(text: string): unknown {
  if (text.trim() === "") return [];
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // the schema says what is wrong with it
  }
}

function asNumber(value: unknown): unknown {
  return typeof value === "string" && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
}
