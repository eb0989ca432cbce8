import { farmError } from "../farm-errors.ts";
import type { Channel } from "./channel.ts";

/** The first of the coils that take a time instead of a state. */
const PULSE_ON = 0x0200;
const TICKS_A_SECOND = 10;
const MOST_TICKS = 0x7fff;
const MOST_SECONDS = 21_600;

/** How long a channel is asked to be on: a number of seconds, or undefined when nothing was said. */
export function checkDuration(given: unknown, on: boolean): number | undefined {
  // Null says nothing where a channel goes off; where it goes on, it would be for ever, and nobody has said that.
  if (given === undefined || (given === null && !on)) return undefined;
  if (typeof given !== "number" || !(given >= 1 && given <= MOST_SECONDS)) {
    throw farmError("BAD_INPUT", `duration_seconds must be a number from 1 to ${MOST_SECONDS}.`, {
      details: { field: "duration_seconds" },
    });
  }
  if (!on) throw farmError("BAD_INPUT", "duration_seconds says how long a channel stays on; it goes with state true.");
  return given;
}

/**
 * The command that lets a board switch on and count the time out by itself, so that the channel goes off even if the hub
 * dies. Only boards whose mapping says `onBoardPulse` understand it; elsewhere it would be a write to an unknown coil.
 */
export function pulseCommand({ equipment, metric }: Channel, seconds: number) {
  const mapping = equipment.register_mappings[metricIndex({ equipment, metric })];
  const ticks = Math.round(seconds * TICKS_A_SECOND);
  if (mapping?.["onBoardPulse"] !== true || ticks > MOST_TICKS) {
    const why =
      mapping?.["onBoardPulse"] === true
        ? `the board counts to ${MOST_TICKS / TICKS_A_SECOND} s only`
        : "this board does not count by itself (its mapping does not say onBoardPulse)";
    throw farmError("NOT_AVAILABLE", `Timed switching is not built for this: ${why}. Nothing was switched.`, {
      details: { equipment_id: equipment.id, channel: metric.address },
    });
  }
  const unit = equipment.slave_id ?? 1;
  return { kind: "coil-command", unit, address: PULSE_ON + metric.address, value: ticks } as const;
}

function metricIndex({ equipment, metric }: Channel): number {
  return equipment.register_mappings.findIndex(
    (mapping) => mapping.type === "coil" && (mapping.address ?? mapping.register) === metric.address,
  );
}
