import type { JsonObject, ResourceInfo, ResourceProvider } from "@steading/kernel";
import type { FarmCore } from "../model/farm-core.ts";
import { alertRow } from "../rows/alert-row.ts";
import { automationRow } from "../rows/automation-row.ts";
import { equipmentRow, findEquipment } from "../rows/equipment-row.ts";
import { forModels } from "./model-text.ts";
import { ALERTS_URI, AUTOMATIONS_URI, EQUIPMENT_URI, type ResourceUpdates } from "./resource-updates.ts";

const MIME = "application/json";

/** The seed's three. */
const RESOURCES: readonly ResourceInfo[] = [
  {
    uri: EQUIPMENT_URI,
    name: "Equipment List",
    description: "All registered sensors and relays with current status",
    mimeType: MIME,
  },
  { uri: AUTOMATIONS_URI, name: "Automations", description: "All configured automation programs", mimeType: MIME },
  {
    uri: ALERTS_URI,
    name: "Active Alerts",
    description: "Currently active alerts requiring attention",
    mimeType: MIME,
  },
];

export function createFarmResources({
  core,
  updates,
}: {
  readonly core: FarmCore;
  readonly updates: ResourceUpdates;
}): ResourceProvider {
  function contentOf(uri: string): readonly JsonObject[] | undefined {
    switch (uri) {
      case EQUIPMENT_URI:
        return findEquipment({}, core).map((each) => equipmentRow(each, core));
      case AUTOMATIONS_URI:
        return core.automations.list().map(automationRow);
      case ALERTS_URI:
        return core.alerts.list({ acknowledged: false }).map((alert) => alertRow(alert, core));
      default:
        return undefined;
    }
  }

  return {
    scheme: "sensehub",
    list: (_caller, { after, limit }) =>
      RESOURCES.filter(({ uri }) => after === undefined || uri > after)
        .toSorted((a, b) => (a.uri < b.uri ? -1 : 1))
        .slice(0, limit),
    read(uri) {
      const content = contentOf(uri);
      return Promise.resolve(
        content === undefined ? undefined : { uri, mimeType: MIME, text: JSON.stringify(forModels(content)) },
      );
    },
    onUpdated: (listener) => updates.on((uri, reason) => listener(uri, { ...reason })),
  };
}
