import type { Metric } from "../modbus/register-mapping.ts";
import type { Equipment } from "./rows.ts";

/** Configuration registers of relay boards: baud rate and address. Reading them as values is wrong, writing them fatal. */
const CONFIGURATION = [0x2000, 0x4000];
/** From here on a relay board's coils are commands (all, toggle, pulse), not states. */
const FIRST_PSEUDO_COIL = 0x00ff;

/** Baud rate or address of a relay board, which no switch and no program may ever write. */
export function isBoardSetting({ type }: Pick<Equipment, "type">, { fc, address }: Metric): boolean {
  return type === "relay" && fc === 3 && CONFIGURATION.includes(address);
}

/** Is this mapping read by polling? */
export function isPolled(equipment: Pick<Equipment, "type" | "register_mappings">, metric: Metric): boolean {
  if (!metric.enabled || metric.access === "write") return false;
  if (equipment.type !== "relay") return true;
  if (metric.fc === 1) return metric.address < FIRST_PSEUDO_COIL;
  return !isBoardSetting(equipment, metric);
}
