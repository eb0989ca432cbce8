export { createMemoryHistory } from "./memory-history.ts";
export { caller, createTrialFarm, type TrialFarm } from "./trial-farm.ts";
export { climateSensor, greenhouseRelays, shedRelays, soilProbe } from "./sim-equipment.ts";
