export { createLamp, type Lamp, type LampAddress, type LampOptions } from "./lamp.ts";
export type { LampKnobs } from "./lamp-knobs.ts";
export type { LampRequest, LampState } from "./lamp-controller.ts";
export type { LampWireEntry } from "./lamp-wire-log.ts";
