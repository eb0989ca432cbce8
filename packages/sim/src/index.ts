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
