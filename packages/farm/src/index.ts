export { createFarmBridge, type FarmBridge, type FarmBridgeDeps } from "./bridge/farm-bridge.ts";
export { FARM_ERRORS } from "./farm-errors.ts";
export { importFarm, type FarmImportReport } from "./import/import-farm.ts";
export type { Remark, TableReport } from "./import/import-report.ts";
export { createFarmPart, type FarmPart, type FarmPartDeps } from "./farm-part.ts";
export type { FarmHistory, HistoryReading, HistorySpan, HistoryStretch } from "./model/farm-history.ts";
export type { GatewayAddress } from "./modbus/gateway-address.ts";
export type { Dial, Wire } from "./modbus/wire.ts";
