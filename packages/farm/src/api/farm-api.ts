import type { Route } from "@steading/kernel";
import { createAbsentRoutes } from "./absent-routes.ts";
import { createAlertRoutes } from "./alert-routes.ts";
import type { ApiDeps } from "./api-deps.ts";
import { createAuthRoutes } from "./auth-routes.ts";
import { createAutomationRoutes } from "./automation-routes.ts";
import { createAutomationTemplateRoutes } from "./automation-template-routes.ts";
import { createBackupRoutes } from "./backup-routes.ts";
import { createDashboardRoutes } from "./dashboard-routes.ts";
import { createDeviceTemplateRoutes } from "./device-template-routes.ts";
import { createEquipmentErrorRoutes } from "./equipment-error-routes.ts";
import { createEquipmentRoutes } from "./equipment-routes.ts";
import { createModbusRoutes } from "./modbus-routes.ts";
import { createPollingRoutes } from "./polling-routes.ts";
import { createPreferenceRoutes } from "./preference-routes.ts";
import { createReadingRoutes } from "./reading-routes.ts";
import { createRelayRoutes } from "./relay-routes.ts";
import { createScanRoutes } from "./scan-routes.ts";
import { createSettingsRoutes } from "./settings-routes.ts";
import { createSetupRoutes } from "./setup-routes.ts";
import { createStopRoutes } from "./stop-routes.ts";
import { createSystemAdminRoutes } from "./system-admin-routes.ts";
import { createSystemRoutes } from "./system-routes.ts";
import { createUserRoutes } from "./user-routes.ts";
import { createWatchdogRoutes } from "./watchdog-routes.ts";
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
    ...createSetupRoutes(deps),
    ...createStopRoutes(deps),
    ...createScanRoutes(deps),
    ...createModbusRoutes(deps),
    ...createPollingRoutes(deps),
    ...createSystemAdminRoutes(deps),
    ...createWatchdogRoutes(deps),
    ...createEquipmentErrorRoutes(deps),
    ...createDeviceTemplateRoutes(deps),
    ...createAutomationTemplateRoutes(deps),
    ...createUserRoutes(deps),
    ...createPreferenceRoutes(deps),
    ...createSettingsRoutes(deps),
    ...createBackupRoutes(deps),
    ...createDashboardRoutes(deps),
    ...createAbsentRoutes(),
  ];
}
