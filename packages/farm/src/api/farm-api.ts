import type { Route } from "@steading/kernel";
import { createAlertRoutes } from "./alert-routes.ts";
import type { ApiDeps } from "./api-deps.ts";
import { createAuthRoutes } from "./auth-routes.ts";
import { createAutomationRoutes } from "./automation-routes.ts";
import { createEquipmentRoutes } from "./equipment-routes.ts";
import { createReadingRoutes } from "./reading-routes.ts";
import { createRelayRoutes } from "./relay-routes.ts";
import { createSystemRoutes } from "./system-routes.ts";
import { createZoneRoutes } from "./zone-routes.ts";

/** The core's REST calls. */
export function createFarmRoutes(deps: ApiDeps): readonly Route[] {
  return [
    ...createSystemRoutes(deps),
    ...createAuthRoutes(deps),
    ...createEquipmentRoutes(deps),
    ...createReadingRoutes(deps),
    ...createRelayRoutes(deps),
    ...createZoneRoutes(deps),
    ...createAutomationRoutes(deps),
    ...createAlertRoutes(deps),
  ];
}
