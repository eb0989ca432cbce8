import { SteadingError } from "@steading/kernel";
import type { Bucket, History } from "@steading/store";
import type { Aggregation, HistoryPoint, HistoryPort, HistoryQuestion } from "@steading/subjects";

/** Answers the graph tools' questions about the past from the store's time series. */
export function createHistoryPort(history: History): HistoryPort {
  return {
    async read(question) {
      try {
        return question.aggregation === "raw"
          ? await rawPoints(history, question)
          : await bucketPoints(history, question);
      } catch (error) {
        // A property that never had a reading has a past: an empty one.
        if (error instanceof SteadingError && error.code === "SERIES_UNKNOWN") return { points: [], truncated: false };
        throw error;
      }
    },
  };
}

async function rawPoints(history: History, { path, from, to, buckets }: HistoryQuestion) {
  const { readings, truncated } = await history.range({ path, from, to, limit: buckets });
  return { points: readings.map(({ at, value, quality }) => ({ at, value, quality })), truncated };
}

async function bucketPoints(history: History, { path, from, to, buckets: count, aggregation }: HistoryQuestion) {
  const { buckets } = await history.buckets({ path, from, to, count });
  // A stretch without readings has no point: nothing is made up.
  const points = buckets.flatMap((bucket): HistoryPoint[] => {
    const value = valueOf(bucket, aggregation);
    return value === undefined
      ? []
      : [{ at: bucket.at, value, quality: bucket.bad > 0 && bucket.count === 0 ? "bad" : "good" }];
  });
  return { points, truncated: false };
}

function valueOf({ count, mean, min, max, first, last }: Bucket, aggregation: Aggregation): number | undefined {
  switch (aggregation) {
    case "raw":
    case "last":
      return last;
    case "first":
      return first;
    case "mean":
      return mean;
    case "min":
      return min;
    case "max":
      return max;
    case "sum":
      return mean === undefined ? undefined : mean * count;
    case "count":
      return count;
  }
}
