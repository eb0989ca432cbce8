import type { Log } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { MetricReading } from "../modbus/read-device.ts";
import type { Metric } from "../modbus/register-mapping.ts";
import { round3 } from "../modbus/register-value.ts";
import type { Alerts } from "./alerts.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { EquipmentState } from "./equipment-state.ts";
import type { FarmEvents } from "./farm-events.ts";
import { metricPath, type FarmHistory, type HistoryReading } from "./farm-history.ts";
import type { Equipment } from "./rows.ts";

export interface PostedReading {
  readonly name: string;
  readonly value: number;
  readonly unit: string | undefined;
  readonly at: number;
}

export interface ReadingsCounters {
  readonly accepted: number;
  /** Not kept by the history: too old, no room. */
  readonly dropped: number;
  readonly failures: number;
}

/** Of one device. */
const MOST_METRICS = 1_000;

/** The one way in for values, whether polled or posted: state, history, alarms and news, in this order, all at once. */
export interface Readings {
  /** One poll of one device. Coils that are channels go into `channels`, everything else into the history. */
  polled(equipment: Equipment, at: number, readings: readonly MetricReading[]): void;
  /** Resolves when they are kept. */
  posted(equipment: Equipment, readings: readonly PostedReading[]): Promise<void>;
  counters(): ReadingsCounters;
}

export function createReadings({
  book,
  history,
  alerts,
  events,
  log,
}: {
  readonly book: EquipmentBook;
  readonly history: FarmHistory;
  readonly alerts: Alerts;
  readonly events: FarmEvents;
  readonly log: Log;
}): Readings {
  const counters = { accepted: 0, dropped: 0, failures: 0 };
  /** Of each device, by metric: a path takes longer to print than a reading to keep. */
  const paths = new WeakMap<EquipmentState, Map<string, string>>();

  function pathOf(id: number, state: EquipmentState, name: string): string {
    let known = paths.get(state);
    if (!known) paths.set(state, (known = new Map<string, string>()));
    let path = known.get(name);
    if (path === undefined) known.set(name, (path = metricPath(id, name)));
    return path;
  }

  /** Names of posted readings are whatever somebody sends. */
  function checkRoom({ id }: Equipment, { metrics }: EquipmentState, given: readonly PostedReading[]): void {
    const fresh = new Set<string>();
    for (const { name } of given) if (!metrics.has(name)) fresh.add(name);
    if (fresh.size === 0 || metrics.size + fresh.size <= MOST_METRICS) return;
    throw farmError("BAD_INPUT", `Equipment ${id} has ${metrics.size} metrics; ${MOST_METRICS} are the most.`);
  }

  async function keep(readings: readonly HistoryReading[], durability: "volatile" | "kept"): Promise<void> {
    const { accepted, dropped } = await history.append(readings, { durability });
    counters.accepted += accepted;
    counters.dropped += dropped;
  }

  function watch(equipment: Equipment, metric: Metric, value: number): void {
    const { high, low, severity } = metric.alarm;
    if (high === undefined && low === undefined) return;
    const name = metric.label ?? metric.name;
    const raise = (side: "high" | "low", beyond: boolean, limit: number): Promise<unknown> => {
      const fingerprint = `threshold:${equipment.id}:${metric.name}:${side}`;
      if (!beyond) return alerts.clear(fingerprint);
      const message = `${equipment.name}: ${name} is ${value}${metric.unit}, ${side === "high" ? "above" : "below"} ${limit}${metric.unit}`;
      return alerts.raise({ severity, message, source: "threshold", equipmentId: equipment.id, fingerprint });
    };
    const told = [
      ...(high === undefined ? [] : [raise("high", value > high, high)]),
      ...(low === undefined ? [] : [raise("low", value < low, low)]),
    ];
    Promise.all(told).catch((error: unknown) => log.error("An alert could not be kept.", error));
  }

  return {
    polled(equipment, at, readings) {
      const state = book.state(equipment.id);
      const kept: HistoryReading[] = [];
      const news: { name: string; value: number; unit: string; at: number }[] = [];
      for (const { metric, value } of readings) {
        if (metric.isChannel) continue;
        const { name, unit } = metric;
        const former = state.metrics.get(name);
        if (value === undefined) {
          // The metric is bad; what it last was stays visible as that.
          state.metrics.set(name, { value: former?.value ?? null, unit, at: former?.at ?? at, quality: "bad" });
          continue;
        }
        state.metrics.set(name, { value, unit, at, quality: "good" });
        if (typeof value !== "number") continue;
        kept.push({ path: pathOf(equipment.id, state, name), value, at, quality: "good" });
        news.push({ name, value, unit, at });
        watch(equipment, metric, value);
      }
      if (kept.length === 0) return;
      keep(kept, "volatile").catch((error: unknown) => {
        counters.failures += 1;
        log.error("Readings could not be kept.", error, { equipment: equipment.id });
      });
      events.emit({ kind: "reading", id: equipment.id, readings: news });
    },
    async posted(equipment, given) {
      const state = book.state(equipment.id);
      const metrics = new Map(book.metrics(equipment).map((metric) => [metric.name, metric]));
      checkRoom(equipment, state, given);
      const kept: HistoryReading[] = [];
      const news: { name: string; value: number; unit: string; at: number }[] = [];
      for (const { name, value: sent, unit: told, at } of given) {
        const value = round3(sent);
        const unit = told ?? metrics.get(name)?.unit ?? state.metrics.get(name)?.unit ?? "";
        kept.push({ path: pathOf(equipment.id, state, name), value, at, quality: "good" });
        news.push({ name, value, unit, at });
      }
      await keep(kept, "kept");
      for (const { name, value, unit, at } of news) {
        // A reading from the past belongs into the history; what is last stays last.
        const former = state.metrics.get(name);
        if (former && former.at > at) continue;
        state.metrics.set(name, { value, unit, at, quality: "good" });
        const metric = metrics.get(name);
        if (metric) watch(equipment, metric, value);
      }
      events.emit({ kind: "reading", id: equipment.id, readings: news });
    },
    counters: () => ({ ...counters }),
  };
}
