import type { Metric } from "./metrics.ts";

/** Counters as most of the hub keeps them: a plain object of numbers, with smaller ones inside. */
export interface CounterMetrics {
  /** `steading_door`: the names follow from it and from the members. */
  readonly prefix: string;
  /** One line about all of them. */
  readonly help: string;
  readonly labels?: Metric["labels"];
  /** Members, by their name in the counters, that also fall. All others only grow. */
  readonly gauges?: readonly string[];
  /** Typed as an object, so that any interface of counters fits; whatever in it is no number is left out. */
  read(): object;
}

/** No counters have counters inside their counters' counters. */
const DEEPEST = 3;

/** `{ sent: 1, lanes: { waiting: 0 } }` becomes `steading_door_sent_total 1` and `steading_door_lanes_waiting 0`. */
export function counterMetrics({ prefix, help, labels, gauges = [], read }: CounterMetrics): readonly Metric[] {
  return flatten(read(), [], DEEPEST).map(({ path, value }): Metric => {
    const words = [prefix, ...path].map(snakeCase).join("_");
    const isGauge = gauges.includes(path.join("."));
    return {
      name: isGauge ? words : `${words}_total`,
      help,
      type: isGauge ? "gauge" : "counter",
      ...(labels === undefined ? {} : { labels }),
      read: () => value,
    };
  });
}

function flatten(
  counters: object,
  above: readonly string[],
  deepest: number,
): { readonly path: readonly string[]; readonly value: number }[] {
  return Object.entries(counters).flatMap(([key, value]: [string, unknown]) => {
    const path = [...above, key];
    if (typeof value === "number") return [{ path, value }];
    return typeof value === "object" && value !== null && path.length < deepest ? flatten(value, path, deepest) : [];
  });
}

function snakeCase(word: string): string {
  return word
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^a-zA-Z0-9]+/g, "_")
    .toLowerCase();
}
