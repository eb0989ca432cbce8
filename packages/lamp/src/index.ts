export { createLampPart, type LampAddress, type LampPartDeps } from "./lamp-part.ts";
export { LAMP_ERRORS } from "./lamp-errors.ts";
export type { Dial, Wire } from "./wire.ts";
