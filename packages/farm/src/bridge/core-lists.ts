import { isJsonObject, type Clock, type Json } from "@steading/kernel";
import { alertFromCore, type CoreAlert } from "./alert-from-core.ts";
import { automationFromCore, type CoreAutomation } from "./automation-from-core.ts";
import { bridgeError } from "./bridge-errors.ts";
import type { AskCore } from "./core-client.ts";
import { toText } from "./core-values.ts";
import { equipmentFromCore, type CoreEquipment } from "./equipment-from-core.ts";
import type { CoreView } from "./core-view.ts";
import { standsIn, zonesWithin } from "./zone-map.ts";

export interface EquipmentWanted {
  readonly status?: string | undefined;
  readonly zone?: string | undefined;
  readonly search?: string | undefined;
}

/** The core's three lists, in the order and the shape of our own. Each is one call. */
export interface CoreLists {
  equipment(ask: AskCore, wanted?: EquipmentWanted): Promise<readonly CoreEquipment[]>;
  automations(ask: AskCore): Promise<readonly CoreAutomation[]>;
  alerts(
    ask: AskCore,
    wanted: { readonly severity?: string | undefined; readonly acknowledged?: boolean | undefined },
  ): Promise<readonly CoreAlert[]>;
}

/** So many alerts are asked for; nobody is shown more than a part of them. */
const MOST_ALERTS = 1_000;

export function createCoreLists({
  view,
  clock,
}: {
  readonly view: Pick<CoreView, "zones" | "zonesOf">;
  readonly clock: Clock;
}): CoreLists {
  function inZone(rows: readonly CoreEquipment[], zone: string): readonly CoreEquipment[] {
    const isKnown = ({ id, namesZones }: CoreEquipment): boolean => namesZones || view.zonesOf(id) !== undefined;
    if (!rows.every(isKnown)) {
      throw bridgeError("CORE_DOWN", "This core does not filter by zone, and its zones could not be read yet.");
    }
    const places = zonesWithin(view.zones ?? [], zone);
    if (places.size > 0) return rows.filter((each) => standsIn(each, places));
    const direct = rows.filter((each) => standsIn(each, new Set([zone.trim().toLowerCase()])));
    // A core whose rows name their zones filters by itself, also by one that lies above them.
    return direct.length > 0 || view.zones !== undefined ? direct : rows;
  }

  return {
    async equipment(ask, { status, zone, search } = {}) {
      const query = { status, search, zone: zone === "" ? undefined : zone };
      const now = clock.now();
      const rows = rowsOf(await ask({ method: "GET", path: "/api/equipment", query }), "equipment")
        .flatMap((row) => equipmentFromCore(row, { now, zonesOf: view.zonesOf }) ?? [])
        .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id));
      const text = search?.toLowerCase();
      const found = rows.filter(
        (each) =>
          (status === undefined || each.status === status) &&
          (text === undefined || `${each.name}\n${toText(each.row["description"]) ?? ""}`.toLowerCase().includes(text)),
      );
      return zone === undefined || zone === "" ? found : inZone(found, zone);
    },
    async automations(ask) {
      return rowsOf(await ask({ method: "GET", path: "/api/automations" }), "automations")
        .flatMap((row) => automationFromCore(row) ?? [])
        .toSorted((a, b) => a.priority - b.priority || a.name.localeCompare(b.name));
    },
    async alerts(ask, { severity, acknowledged }) {
      // The reference takes the two words and nothing else.
      const flag = acknowledged === undefined ? undefined : String(acknowledged);
      const query = { severity, acknowledged: flag, limit: String(MOST_ALERTS) };
      return rowsOf(await ask({ method: "GET", path: "/api/alerts", query }), "alerts")
        .flatMap((row) => alertFromCore(row) ?? [])
        .filter(
          (alert) =>
            (severity === undefined || alert.severity === severity) &&
            (acknowledged === undefined || alert.acknowledged === acknowledged),
        )
        .toSorted((a, b) => b.createdAt - a.createdAt || b.id - a.id);
    },
  };
}

/** A list, bare or wrapped. */
export function rowsOf(body: Json, name: string): readonly Json[] {
  const rows = isJsonObject(body) ? (body[name] ?? body["data"]) : body;
  if (Array.isArray(rows)) return rows as readonly Json[];
  throw bridgeError("CORE_GARBLED", `The core's ${name} are no list.`);
}
