import { HOUR, MINUTE, type Level } from "./level.ts";

const SECOND = 1_000;
const DAY = 24 * HOUR;
/** Widths that people can read off an axis. */
const ROUND = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 28, 91, 365].map((n) => n * DAY),
];

/** The narrowest round width with which the range fits into `count` buckets. */
export function roundWidth(from: number, to: number, count: number): number {
  const fits = (width: number): boolean => Math.ceil(to / width) - Math.floor(from / width) <= count;
  return ROUND.find(fits) ?? Math.ceil((to - from) / Math.max(1, count - 1) / DAY) * DAY;
}

/** The coarsest level whose rows never straddle two buckets that start at `from`. */
export function levelFor(from: number, width: number): Level {
  if (width % HOUR === 0 && from % HOUR === 0) return "hour";
  return width % MINUTE === 0 && from % MINUTE === 0 ? "minute" : "raw";
}
