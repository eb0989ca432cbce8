import { f32BigEndian } from "../codecs.ts";
import { HEAT_PUMP_VALUES } from "../data/modules.data.ts";
import type { Answer } from "../device.ts";
import { toRegisterKey } from "../register-image.ts";

const STABLE = 0x01;

/** B524 on the heat pump: few registers, read only, numbers high byte first. */
export function answerHeatPumpExtended(data: readonly number[]): Answer {
  const [opcode = 0, writes = 0, group = 0, instance = 0, low = 0, high = 0] = data;
  const value = HEAT_PUMP_VALUES[toRegisterKey(opcode, group, instance, low)];
  if (data.length !== 6 || writes !== 0 || high !== 0 || value === undefined) return [0x00];
  return [STABLE, group, low, high, ...f32BigEndian(value)];
}
