import type { JsonObject, ResourceProvider } from "@steading/kernel";
import type { FarmCore } from "../model/farm-core.ts";
import { createFarmResources } from "../tools/farm-resources.ts";
import { forModels } from "../tools/model-text.ts";
import { ALERTS_URI, AUTOMATIONS_URI, EQUIPMENT_URI, type ResourceUpdates } from "../tools/resource-updates.ts";
import type { AskCore, CoreClient } from "./core-client.ts";
import type { CoreLists } from "./core-lists.ts";

/** The embedded farm's three resources, read from the core at the moment somebody asks. */
export function createBridgeResources({
  client,
  lists,
  updates,
}: {
  readonly client: CoreClient;
  readonly lists: CoreLists;
  readonly updates: ResourceUpdates;
}): ResourceProvider {
  // Listing and updates need no core; reading, which does, is replaced.
  const embedded = createFarmResources({ core: {} as FarmCore, updates });

  async function contentOf(uri: string, ask: AskCore): Promise<readonly { readonly row: JsonObject }[] | undefined> {
    switch (uri) {
      case EQUIPMENT_URI:
        return lists.equipment(ask);
      case AUTOMATIONS_URI:
        return lists.automations(ask);
      case ALERTS_URI:
        return lists.alerts(ask, { acknowledged: false });
      default:
        return undefined;
    }
  }

  return {
    ...embedded,
    async read(uri, caller) {
      const rows = await contentOf(uri, client.as(caller));
      if (!rows) return undefined;
      return { uri, mimeType: "application/json", text: JSON.stringify(forModels(rows.map(({ row }) => row))) };
    },
  };
}
