import type { FarmHistory, HistoryReading, HistorySpan, HistoryStretch } from "../model/farm-history.ts";

/** A history that forgets with the test. The store has the real one. */
export function createMemoryHistory(): FarmHistory {
  const series = new Map<string, Map<number, HistoryReading>>();
  const within = ({ path, from, to }: HistorySpan): HistoryReading[] =>
    [...(series.get(path)?.values() ?? [])].filter(({ at }) => at >= from && at < to).toSorted((a, b) => a.at - b.at);

  function stretch(at: number, readings: readonly HistoryReading[]): HistoryStretch {
    const values = readings.flatMap(({ value }) => (typeof value === "number" ? [value] : []));
    const none = values.length === 0;
    return {
      at,
      count: values.length,
      min: none ? undefined : Math.min(...values),
      max: none ? undefined : Math.max(...values),
      mean: none ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length,
    };
  }

  return {
    append(readings) {
      for (const reading of readings) {
        const one = series.get(reading.path) ?? new Map<number, HistoryReading>();
        one.set(reading.at, reading);
        series.set(reading.path, one);
      }
      return Promise.resolve({ accepted: readings.length, dropped: 0 });
    },
    latest: (path) => within({ path, from: -Infinity, to: Infinity }).at(-1),
    range({ order, limit = 1_000, ...span }) {
      const found = within(span);
      const ordered = order === "newest first" ? found.toReversed() : found;
      return Promise.resolve({ readings: ordered.slice(0, limit), truncated: ordered.length > limit });
    },
    summary: (span) => Promise.resolve(stretch(span.from, within(span))),
    buckets({ count = 200, width: given, ...span }) {
      const width = given ?? Math.max(1, Math.ceil((span.to - span.from) / count));
      // Whole buckets, aligned to their width, as the store makes them.
      const from = Math.floor(span.from / width) * width;
      const found = within({ ...span, from, to: Math.ceil(span.to / width) * width });
      const starts = [...new Set(found.map(({ at }) => Math.floor(at / width) * width))];
      const buckets = starts.map((at) =>
        stretch(
          at,
          found.filter((reading) => reading.at >= at && reading.at < at + width),
        ),
      );
      return Promise.resolve({ width, buckets });
    },
    series: ({ prefix, limit = 1_000 }) =>
      [...series.keys()]
        .filter((path) => path.startsWith(prefix))
        .slice(0, limit)
        .map((path) => ({ path })),
  };
}
