import { defineTool, seconds, type EncodedAnswer, type JsonObject, type Tool } from "@steading/kernel";
import * as z from "zod";
import { instant } from "../model/instant.ts";
import { SEVERITIES, STATUSES } from "../model/rows.ts";
import { alertRow } from "../rows/alert-row.ts";
import { automationRow } from "../rows/automation-row.ts";
import { bucketedReadings, bucketWidth } from "../rows/bucketed-readings.ts";
import { createEquipmentLines } from "../rows/equipment-lines.ts";
import { findEquipment } from "../rows/equipment-row.ts";
import { readingsPage } from "../rows/readings-page.ts";
import { systemInfo } from "../rows/system-info.ts";
import { createRowsForModels, forModels } from "./model-text.ts";
import { TOOL_DEADLINE } from "./tool-deadline.ts";
import type { FarmToolDeps } from "./tool-deps.ts";

/** Rows are made by our own code from typed values: looking at each of their cells again would only cost time. */
const Row = z.unknown().meta({ type: "object" });
const Members = z.record(z.string(), z.unknown());
const MOST_ALERTS = 200;

const READ = {
  intent: "READ_ONLY",
  minimumRole: "viewer",
  unknownKeys: "ignore",
  essential: true,
  deadline: TOOL_DEADLINE,
} as const;

/** Answered from memory, at once; a shell that knows it makes less ado about such a call. */
const FROM_MEMORY = { ...READ, deadline: seconds(2) } as const;

/** The client sends booleans, the reference took only these texts; both are meant. */
const Acknowledged = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);

export function createReadTools({ core, facts, descriptions }: FarmToolDeps): readonly Tool[] {
  const lines = createEquipmentLines(core);
  const rowForModels = createRowsForModels();
  /** What is known of a list that is on its way out, while somebody still has the list. */
  const known = new WeakMap<readonly unknown[], { readonly text: string; readonly encoded: EncodedAnswer }>();
  const about = (tool: Parameters<typeof descriptions.describe>[0]) => (): string => descriptions.describe(tool);

  return [
    defineTool({
      ...FROM_MEMORY,
      name: "get_equipment_list",
      title: "Equipment list",
      summary: about("get_equipment_list"),
      input: z.object({
        status: z.enum(STATUSES).optional(),
        zone: z.string().max(200).optional(),
        search: z.string().max(200).optional(),
        detail: z.enum(["full", "summary"]).optional(),
        limit: z.int().min(1).optional(),
      }),
      output: z.object({ equipment: z.array(Row), count: z.int() }),
      handler({ limit, detail, ...filter }) {
        const found = findEquipment(filter, core).slice(0, limit);
        if (detail === "summary") {
          return { equipment: found.map((each) => rowForModels(lines.summary(each))), count: found.length };
        }
        const made = found.map(lines.row);
        const equipment: JsonObject[] = made.map(rowForModels);
        // The JSON that is kept is that of the rows as they are.
        const isKept = equipment.every((row, i) => row === made[i]);
        const text = isKept ? lines.json(found, "parsed") : JSON.stringify(equipment);
        const escaped = isKept ? `"${lines.escaped(found, "parsed")}"` : JSON.stringify(text);
        const structured = `{"equipment":${text},"count":${equipment.length}}`;
        known.set(equipment, { text, encoded: { structured, text: escaped } });
        return { equipment, count: equipment.length };
      },
      text: ({ equipment }) => known.get(equipment)?.text ?? JSON.stringify(equipment),
      encoded: ({ equipment }) => known.get(equipment)?.encoded,
    }),
    defineTool({
      ...READ,
      name: "get_sensor_readings",
      title: "Sensor readings",
      summary: about("get_sensor_readings"),
      input: z.object({
        equipment_id: z.int(),
        from: z.string().max(60).optional(),
        to: z.string().max(60).optional(),
        limit: z.int().min(1).default(10),
        metric: z.string().max(120).optional(),
        bucket: z.string().max(20).optional(),
      }),
      output: z.looseObject({
        readings: z.array(Row),
        total: z.int(),
        stats: Members,
        limit: z.int(),
        offset: z.int(),
      }),
      async handler({ equipment_id, from, to, limit, metric, bucket }) {
        const equipment = core.book.get(equipment_id);
        const question = {
          from: from === undefined ? undefined : instant(from, "from"),
          to: to === undefined ? undefined : instant(to, "to"),
          limit,
          metric,
        };
        const page =
          bucket === undefined
            ? readingsPage(equipment, { ...question, offset: 0 }, core)
            : bucketedReadings(equipment, { ...question, width: bucketWidth(bucket) }, core);
        // The page has these members; its type is JSON because it also goes out over REST.
        return forModels(await page) as never;
      },
    }),
    defineTool({
      ...FROM_MEMORY,
      name: "get_automations",
      title: "Automations",
      summary: about("get_automations"),
      input: z.object({}),
      output: z.object({ automations: z.array(Row), count: z.int() }),
      handler() {
        const automations = forModels(core.automations.list().map(automationRow));
        return { automations, count: automations.length };
      },
      text: ({ automations }) => JSON.stringify(automations),
    }),
    defineTool({
      ...FROM_MEMORY,
      name: "get_alerts",
      title: "Alerts",
      summary: about("get_alerts"),
      input: z.object({ severity: z.enum(SEVERITIES).optional(), acknowledged: Acknowledged.optional() }),
      output: z.object({ alerts: z.array(Row), count: z.int(), total: z.int() }),
      handler({ severity, acknowledged }) {
        const found = core.alerts.list({ severity }).filter((alert) => {
          const cleared = alert.cleared_at !== null;
          if (acknowledged === undefined) return !cleared;
          return acknowledged ? alert.acknowledged && !cleared : !alert.acknowledged;
        });
        const alerts = forModels(found.slice(0, MOST_ALERTS).map((alert) => alertRow(alert, core)));
        return { alerts, count: alerts.length, total: found.length };
      },
      text: ({ alerts }) => JSON.stringify(alerts),
    }),
    defineTool({
      ...FROM_MEMORY,
      name: "get_system_status",
      title: "System status",
      summary: about("get_system_status"),
      input: z.object({}),
      output: z.looseObject({ version: z.string(), uptime: z.number(), armed: z.boolean(), health: Members }),
      handler: () => systemInfo(facts, core) as never, // as above
    }),
  ];
}
