import { setMaxListeners } from "node:events";
import { millis, seconds, type Cancel, type Clock, type Duration } from "@steading/kernel";
import { createBlockPlan, type BlockPlan } from "./block-plan.ts";
import type { Bus } from "./bus.ts";
import { createGrowingDelay, type GrowingDelay } from "./growing-delay.ts";
import { readDevice, type MetricReading } from "./read-device.ts";
import type { Metric } from "./register-mapping.ts";
import type { Calibration } from "./register-value.ts";

export interface PolledDevice {
  readonly id: number;
  /** Devices with the same key share a bus, and their polls are spread over it. */
  readonly busKey: string;
  readonly bus: Pick<Bus, "ask" | "quietFor">;
  readonly unit: number;
  readonly interval: Duration;
  readonly metrics: readonly Metric[];
  readonly calibration: Calibration;
}

export type Cycle =
  | { readonly ok: true; readonly id: number; readonly at: number; readonly readings: readonly MetricReading[] }
  | {
      readonly ok: false;
      readonly id: number;
      readonly at: number;
      readonly error: unknown;
      readonly failures: number;
    };

export interface PollerCounters {
  readonly devices: number;
  readonly cycles: number;
  readonly failures: number;
  /** Cycles left out because the one before was still under way. */
  readonly skipped: number;
}

/** Reads every device in its own rhythm, each cycle once, never two of one device at a time. */
export interface Poller {
  /** Takes a device, or takes it anew with changes; from the change on. */
  set(device: PolledDevice): void;
  remove(id: number): void;
  /** Out of turn, because somebody asked; ends the back-off. Undefined when the device is not polled. */
  pollNow(id: number): Promise<Cycle> | undefined;
  counters(): PollerCounters;
  stop(): Promise<void>;
}

interface Polled {
  device: PolledDevice;
  readonly plan: BlockPlan;
  readonly delay: GrowingDelay;
  due: number;
  running: Promise<Cycle> | undefined;
  cancel: Cancel;
}

/** Multiples of it, without their whole part, never crowd: each falls into the widest gap that is left. */
const GOLDEN = 0.618_034;

/** Every so many cycles of a silent unit. */
const FULL_LOOK = 8;

export function createPoller({
  clock,
  onCycle,
  random,
}: {
  readonly clock: Clock;
  readonly onCycle: (cycle: Cycle) => void;
  readonly random?: () => number;
}): Poller {
  const polled = new Map<number, Polled>();
  const placesOnBus = new Map<string, number>();
  const counters = { cycles: 0, failures: 0, skipped: 0 };
  const stopping = new AbortController();
  // Every device that waits for its turn listens; there are as many as there are devices.
  setMaxListeners(0, stopping.signal);

  function schedule(entry: Polled, at: number): void {
    entry.cancel();
    entry.due = at;
    entry.cancel = clock.timer(millis(Math.max(0, at - clock.monotonic())), () => {
      // Asked when its turn comes and not before: what the last try cost the others shows only afterwards.
      const quiet =
        entry.delay.failures > 0 && hasLivingNeighbours(entry) ? entry.device.bus.quietFor(entry.device.unit) : 0;
      if (entry.running) counters.skipped += 1;
      else if (quiet > 0) schedule(entry, clock.monotonic() + quiet);
      else void cycle(entry);
    });
  }

  /** A unit that is alone on its bus takes time from nobody. */
  function hasLivingNeighbours({ device: { id, busKey } }: Polled): boolean {
    for (const { device, delay } of polled.values()) {
      if (device.busKey === busKey && device.id !== id && delay.failures === 0) return true;
    }
    return false;
  }

  async function cycle(entry: Polled): Promise<Cycle> {
    entry.running = read(entry);
    const result = await entry.running;
    entry.running = undefined;
    // A device that was taken away or changed in the meantime has another entry, or none.
    if (polled.get(entry.device.id) === entry) {
      scheduleNext(entry, result);
      if (!stopping.signal.aborted) onCycle(result);
    }
    return result;
  }

  async function read({ device, plan, delay }: Polled): Promise<Cycle> {
    const { id, bus, unit, calibration } = device;
    counters.cycles += 1;
    try {
      // A unit that was silent last time gets one chance in its turn; the second is for units that are known to answer.
      const retries = delay.failures > 0 ? 0 : 1;
      const readings = await readDevice({
        bus,
        unit,
        plan,
        calibration,
        priority: "poll",
        retries,
        // Now and then it gets the whole time-out: it may have become slower than it ever was.
        probe: delay.failures % FULL_LOOK !== 0,
        signal: stopping.signal,
      });
      delay.reset();
      return { ok: true, id, at: clock.now(), readings };
    } catch (error) {
      counters.failures += 1;
      return { ok: false, id, at: clock.now(), error, failures: delay.failures + 1 };
    }
  }

  function scheduleNext(entry: Polled, { ok }: Cycle): void {
    if (stopping.signal.aborted) return;
    const { interval } = entry.device;
    const present = clock.monotonic();
    if (!ok) return schedule(entry, present + Math.max(interval, entry.delay.next()));
    const missed = Math.max(0, Math.ceil((present - entry.due) / interval) - 1);
    counters.skipped += missed;
    schedule(entry, entry.due + (missed + 1) * interval);
  }

  function drop(id: number): void {
    polled.get(id)?.cancel();
    polled.delete(id);
  }

  return {
    set(device) {
      if (stopping.signal.aborted) return;
      drop(device.id);
      const place = placesOnBus.get(device.busKey) ?? 0;
      placesOnBus.set(device.busKey, place + 1);
      const entry: Polled = {
        device,
        plan: createBlockPlan(device.metrics),
        delay: createGrowingDelay({ first: seconds(1), most: seconds(60), jitter: 0.1, random }),
        due: 0,
        running: undefined,
        cancel: () => {},
      };
      polled.set(device.id, entry);
      schedule(entry, clock.monotonic() + ((place * GOLDEN) % 1) * device.interval);
    },
    remove: drop,
    pollNow(id) {
      const entry = polled.get(id);
      if (!entry) return undefined;
      entry.delay.reset();
      if (entry.running) return entry.running;
      entry.cancel();
      entry.due = clock.monotonic();
      return cycle(entry);
    },
    counters: () => ({ devices: polled.size, ...counters }),
    async stop() {
      stopping.abort();
      const running = [...polled.values()].flatMap((entry) => entry.running ?? []);
      for (const id of polled.keys()) drop(id);
      await Promise.all(running);
    },
  };
}
