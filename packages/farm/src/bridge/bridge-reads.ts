import { isJsonObject, type JsonObject, type ToolContext } from "@steading/kernel";
import { instant, iso } from "../model/instant.ts";
import { bucketWidth } from "../rows/bucketed-readings.ts";
import { bridgeError } from "./bridge-errors.ts";
import { bucketedFromCore } from "./bucketed-from-core.ts";
import type { AskCore, CoreClient } from "./core-client.ts";
import type { CoreLists, EquipmentWanted } from "./core-lists.ts";
import { coreRefusal } from "./core-refusal.ts";
import type { CoreView } from "./core-view.ts";
import { coreEquipmentSummary } from "./equipment-from-core.ts";
import { readingsFromCore } from "./readings-from-core.ts";
import { systemFromCore, tellsHealth } from "./system-from-core.ts";

export interface BridgeReads {
  equipmentList(
    wanted: EquipmentWanted & { limit?: number | undefined; detail?: string | undefined },
    context: ToolContext,
  ): Promise<JsonObject>;
  sensorReadings(
    wanted: {
      equipment_id: number;
      from?: string | undefined;
      to?: string | undefined;
      limit: number;
      metric?: string | undefined;
      bucket?: string | undefined;
    },
    context: ToolContext,
  ): Promise<JsonObject>;
  automations(wanted: object, context: ToolContext): Promise<JsonObject>;
  alerts(
    wanted: { severity?: string | undefined; acknowledged?: boolean | undefined },
    context: ToolContext,
  ): Promise<JsonObject>;
  systemStatus(wanted: object, context: ToolContext): Promise<JsonObject>;
}

const MOST_ALERTS = 200;
const MOST_READINGS = 1_000;

/** The five tools that only look, each as its one call. */
export function createBridgeReads({
  client,
  lists,
  view,
}: {
  readonly client: CoreClient;
  readonly lists: CoreLists;
  readonly view: CoreView;
}): BridgeReads {
  const asking = ({ caller, signal }: ToolContext): AskCore => client.as(caller, signal);

  return {
    async equipmentList({ limit, detail, ...filter }, context) {
      const found = (await lists.equipment(asking(context), filter)).slice(0, limit);
      const equipment = found.map((each) => (detail === "summary" ? coreEquipmentSummary(each) : each.row));
      return { equipment, count: equipment.length };
    },

    async sensorReadings({ equipment_id: equipmentId, from, to, limit: asked, metric, bucket }, context) {
      const width = bucket === undefined ? undefined : bucketWidth(bucket);
      const limit = Math.min(asked, MOST_READINGS);
      // The reference knows no metric, and no core knows stretches: enough must be left of the page.
      const pageLimit = metric === undefined && width === undefined ? limit : MOST_READINGS;
      const wanted = {
        equipmentId,
        from: from === undefined ? undefined : instant(from, "from"),
        to: to === undefined ? undefined : instant(to, "to"),
        limit: width === undefined ? limit : pageLimit,
        metric,
      };
      const ids = view.equipment.map(({ id }) => id).slice(0, 20);
      const choices = ids.length === 0 ? undefined : `There is ${ids.join(", ")}.`;
      const about = { kind: "equipment", id: equipmentId, command: false, choices } as const;
      const body = await asking(context)({
        method: "GET",
        path: `/api/equipment/${equipmentId}/history`,
        query: {
          // One form of time, in one zone: the reference compares texts.
          from: wanted.from === undefined ? undefined : iso(wanted.from),
          to: wanted.to === undefined ? undefined : iso(wanted.to),
          limit: String(pageLimit),
          metric,
        },
        about,
      });
      const page = readingsFromCore(body, wanted);
      if (!page) throw bridgeError("CORE_GARBLED", "The core's history is no page of readings.");
      // The reference has an empty past for equipment that does not exist.
      const missing = page["total"] === 0 && view.isFresh() && !view.findEquipment(equipmentId);
      if (missing) throw coreRefusal({ status: 404, body: undefined, retryAfter: undefined }, about);
      return width === undefined ? page : bucketedFromCore(page, { equipmentId, width, limit });
    },

    async automations(_wanted, context) {
      const automations = (await lists.automations(asking(context))).map(({ row }) => row);
      return { automations, count: automations.length };
    },

    async alerts({ severity, acknowledged }, context) {
      const all = await lists.alerts(asking(context), { severity, acknowledged });
      // Unacknowledged ones stay until somebody has seen them, cleared or not.
      const found = all.filter((alert) => !alert.cleared || !alert.acknowledged);
      const alerts = found.slice(0, MOST_ALERTS).map(({ row }) => row);
      return { alerts, count: alerts.length, total: found.length };
    },

    async systemStatus(_wanted, context) {
      const ask = asking(context);
      const info = await ask({ method: "GET", path: "/api/system/info" });
      if (!isJsonObject(info)) throw bridgeError("CORE_GARBLED", "What the core says about itself is no object.");
      const health = tellsHealth(info) ? undefined : await ask({ method: "GET", path: "/api/health" });
      return systemFromCore(info, isJsonObject(health) ? health : undefined);
    },
  };
}
