export { createLamp, type Lamp, type LampAddress, type LampOptions } from "./lamp.ts";
export type { LampKnobs } from "./lamp-knobs.ts";
export type { LampRequest, LampState } from "./lamp-controller.ts";
export type { LampWireEntry } from "./lamp-wire-log.ts";
export { createHouse, type House, type HouseOptions } from "./house/house.ts";
export { createRealHouseClock, type HouseClock } from "./house/clock.ts";
export { CAPTURE_MOMENT, createManualHouseClock, type ManualHouseClock } from "./house/manual-clock.ts";
export type { Bus, BusCounters } from "./house/bus.ts";
export type { BusTiming } from "./house/bus-timing.ts";
export type { Exchange, Outcome } from "./house/exchange.ts";
export type { Fault, FaultOptions } from "./house/fault.ts";
export type { FaultName, Faults, FaultSettings } from "./house/faults.ts";
export type { HouseKnobs, KnobSettings } from "./house/knobs.ts";
export { carryOutKnobLine, HOUSE_KNOBS, readKnobText } from "./house/knob-text.ts";
export type { HouseSettings } from "./house/settings.ts";
export type { HouseAddresses, HousePortOptions } from "./house/ports/ports.ts";
export type { PortAddress } from "./house/ports/tcp-port.ts";
export type { PortCounters } from "./house/ports/port-counters.ts";
export type { PtyAddress } from "./house/ports/pty-port.ts";
export type { PlantState, ZoneState } from "./house/physics/plant-state.ts";
export type { Session } from "./house/ports/session.ts";
export {
  createVirtualFarm,
  type FarmAddresses,
  type FarmPorts,
  type GatewayName,
  type VirtualFarm,
  type VirtualFarmOptions,
} from "./farm/virtual-farm.ts";
export type { FieldState } from "./farm/field.ts";
export type { GatewayKnobs, UnitKnobs } from "./farm/farm-knobs.ts";
export type { FarmExchange } from "./farm/wire-log.ts";
export { createA64Client, type A64Client, type A64ClientOptions } from "./a64/a64-client.ts";
export type { A64Http } from "./a64/a64-http.ts";
export type { A64Mcp } from "./a64/a64-mcp.ts";
export { A64StatusError, A64TransportError } from "./a64/client-errors.ts";
export type { A64Exchange } from "./a64/exchange-log.ts";
export { seenAlert, seenEquipment, type SeenAlert, type SeenEquipment } from "./a64/seen-rows.ts";
export { createSenseHubCore, type SenseHubCore, type SenseHubCoreOptions } from "./sensehub-core/sensehub-core.ts";
export type { CoreKnobs } from "./sensehub-core/core-knobs.ts";
export type { CoreRequest } from "./sensehub-core/core-log.ts";
export type { CoreSite } from "./sensehub-core/core-site.ts";
