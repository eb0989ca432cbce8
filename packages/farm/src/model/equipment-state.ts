import { seconds } from "@steading/kernel";
import type { RegisterValue } from "../modbus/register-value.ts";
import type { Equipment, Status } from "./rows.ts";

export interface MetricState {
  readonly value: RegisterValue | null;
  readonly unit: string;
  readonly at: number;
  readonly quality: "good" | "bad" | "stale";
}

export interface ChannelState {
  /** As last read from the coil; null when it never was, or is not known any more. */
  readonly on: boolean | null;
  /** When it was read back; null for a state that is only what was sent. */
  readonly confirmedAt: number | null;
  readonly at: number;
}

/** How equipment is doing: what it last said, and how long ago. Made anew at every start. */
export interface EquipmentState {
  status: Status;
  failures: number;
  lastCommunication: number | null;
  errorLog: string | null;
  readonly metrics: Map<string, MetricState>;
  readonly channels: Map<number, ChannelState>;
  /** Rises with every command to a channel. */
  readonly generations: Map<number, number>;
  readonly since: number;
}

export function createEquipmentState(now: number): EquipmentState {
  return {
    status: "offline",
    failures: 0,
    lastCommunication: null,
    errorLog: null,
    metrics: new Map(),
    channels: new Map(),
    generations: new Map(),
    since: now,
  };
}

/** Without a success for five intervals, and a minute at least, equipment counts as gone. */
function offlineAfter({ polling_interval_ms }: Pick<Equipment, "polling_interval_ms">): number {
  return Math.max(5 * polling_interval_ms, seconds(60));
}

/** What the status is at this moment. */
export function statusOf(
  equipment: Equipment,
  state: EquipmentState,
  { now, gatewayAccepts }: { readonly now: number; readonly gatewayAccepts: boolean },
): Status {
  if (!equipment.enabled) return "disabled";
  if (equipment.write_only) return gatewayAccepts ? "online" : "offline";
  const silentFor = now - (state.lastCommunication ?? state.since);
  if (silentFor >= offlineAfter(equipment)) return "offline";
  if (state.failures >= 3) return "error";
  if (state.failures > 0) return "warning";
  return state.lastCommunication === null ? "offline" : "online";
}
