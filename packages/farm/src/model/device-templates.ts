import * as z from "zod";
import { farmError } from "../farm-errors.ts";
import { RegisterMapping } from "../modbus/register-mapping.ts";
import { jsonOr } from "./equipment-input.ts";
import { PROTOCOLS, type DeviceTemplate } from "./rows.ts";
import { SYSTEM_DEVICE_TEMPLATES } from "./system-device-templates.ts";
import type { Tables } from "./tables.ts";

const MOST_MAPPINGS = 512;
const short = z.string().trim().min(1).max(200);

export const NewDeviceTemplate = z.object({
  name: short,
  category: short.default("other"),
  manufacturer: short.nullable().default(null),
  model: short.nullable().default(null),
  description: z.string().max(2_000).nullable().default(null),
  protocol: z.enum(PROTOCOLS).default("modbus"),
  default_slave_id: z.int().min(1).max(247).default(1),
  default_polling_interval_ms: z.int().min(100).max(60_000).default(1_000),
  register_mappings: jsonOr(z.array(RegisterMapping).max(MOST_MAPPINGS)).default([]),
});
export type NewDeviceTemplate = z.output<typeof NewDeviceTemplate>;

/** Kinds of devices, so that nobody types the same registers twice. */
export interface DeviceTemplates {
  /** Those that come with the hub first. */
  list(): readonly DeviceTemplate[];
  get(id: number): DeviceTemplate;
  create(input: NewDeviceTemplate, by: string): Promise<DeviceTemplate>;
  remove(id: number, by: string): Promise<void>;
}

export function createDeviceTemplates({
  tables,
  now,
}: {
  readonly tables: Tables;
  readonly now: () => number;
}): DeviceTemplates {
  const list = (): readonly DeviceTemplate[] => [...SYSTEM_DEVICE_TEMPLATES, ...tables.all("device_templates")];
  function get(id: number): DeviceTemplate {
    const found = list().find((template) => template.id === id);
    if (!found) throw farmError("TEMPLATE_UNKNOWN", `There is no device template ${id}.`);
    return found;
  }
  return {
    list,
    get,
    async create(input, by) {
      const id = tables.nextId("device_templates");
      const template: DeviceTemplate = { ...input, id, is_system: false, created_at: now() };
      const data = { template_id: id, name: template.name };
      await tables.commit([{ table: "device_templates", put: template }], {
        kind: "farm.device-template.created",
        by,
        data,
      });
      return template;
    },
    async remove(id, by) {
      const { is_system, name } = get(id);
      if (is_system) {
        throw farmError("TEMPLATE_IS_SYSTEM", `The device template ${id} comes with the hub and stays.`);
      }
      await tables.commit([{ table: "device_templates", delete: id }], {
        kind: "farm.device-template.deleted",
        by,
        data: { template_id: id, name },
      });
    },
  };
}
