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
  /** What it was when it was last known; only where it is not any more. */
  readonly was?: boolean | null;
  /** When it was read back; null for a state that is only what was sent. */
  readonly confirmedAt: number | null;
  readonly at: number;
}

/** The channels that are on as far as anybody knows: one that was, and was lost, is. */
export function channelsOn({ channels }: Pick<EquipmentState, "channels">): readonly number[] {
  return [...channels].filter(([, { on, was }]) => (on ?? was) === true).map(([channel]) => channel);
}

/** How equipment is doing: what it last said, and how long ago. Made anew at every start. */
export interface EquipmentState {
  status: Status;
  failures: number;
  lastCommunication: number | null;
  errorLog: string | null;
  /** Faults that somebody reported and nobody has resolved. */
  reported: number;
  readonly metrics: Map<string, MetricState>;
  readonly channels: Map<number, ChannelState>;
  /** Rises with every command to a channel. */
  readonly generations: Map<number, number>;
  readonly since: number;
  /** Rises with every change of the above: what was made from an earlier state is out of date. */
  readonly changes: number;
}

export function createEquipmentState(now: number): EquipmentState {
  let changes = 0;
  const changed = (): void => void (changes += 1);
  const told = { status: "offline" as Status, failures: 0, lastCommunication: null, errorLog: null, reported: 0 };
  const state = {
    metrics: new CountedMap<string, MetricState>(changed),
    channels: new CountedMap<number, ChannelState>(changed),
    generations: new CountedMap<number, number>(changed),
    since: now,
    get changes() {
      return changes;
    },
  };
  // Counted by the properties themselves: whoever sets one cannot forget it.
  return Object.defineProperties(state, counted(told, changed)) as typeof state & typeof told;
}

function counted(values: Record<string, unknown>, changed: () => void): PropertyDescriptorMap {
  return Object.fromEntries(
    Object.keys(values).map((name): [string, PropertyDescriptor] => [
      name,
      {
        enumerable: true,
        get: () => values[name],
        set(value: unknown) {
          if (values[name] !== value) changed();
          values[name] = value;
        },
      },
    ]),
  );
}

class CountedMap<K, V> extends Map<K, V> {
  readonly #changed: () => void;
  constructor(changed: () => void) {
    super();
    this.#changed = changed;
  }
  override set(key: K, value: V): this {
    this.#changed();
    return super.set(key, value);
  }
  override delete(key: K): boolean {
    this.#changed();
    return super.delete(key);
  }
  override clear(): void {
    this.#changed();
    super.clear();
  }
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
  if (state.reported > 0) return "error";
  if (equipment.write_only) return gatewayAccepts ? "online" : "offline";
  const silentFor = now - (state.lastCommunication ?? state.since);
  if (silentFor >= offlineAfter(equipment)) return "offline";
  if (state.failures >= 3) return "error";
  if (state.failures > 0) return "warning";
  return state.lastCommunication === null ? "offline" : "online";
}
