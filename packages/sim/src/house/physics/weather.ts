import { toHouseDate } from "../codecs.ts";

const DAY_MS = 86_400_000;
const WARMEST_HOUR = 15;
const MEAN_C = 6;
const SWING_K = 5;
/** How fast the weather forgets the temperature the house was switched on with. */
const FORGETS_WITHIN_MS = 6 * 3_600_000;

export interface Weather {
  outdoorC(at: number): number;
  /** 0 at night, 1 at noon. */
  sun(at: number): number;
}

/** Colder at night, with fronts that pass in days; begins at the temperature that was captured. */
export function createWeather({ startAt, startC }: { startAt: number; startC: number }): Weather {
  const surplus = startC - usualC(startAt);
  return {
    outdoorC: (at) => usualC(at) + surplus * Math.exp(-Math.max(0, at - startAt) / FORGETS_WITHIN_MS),
    sun: (at) => Math.max(0, Math.sin((Math.PI * (hourOf(at) - 6)) / 12)),
  };
}

function usualC(at: number): number {
  const day = Math.cos((2 * Math.PI * (hourOf(at) - WARMEST_HOUR)) / 24) * SWING_K;
  const front = Math.sin((2 * Math.PI * at) / (3.7 * DAY_MS)) * 2 + Math.sin((2 * Math.PI * at) / (9.1 * DAY_MS));
  return MEAN_C + day + front;
}

function hourOf(at: number): number {
  const { hour, minute, second } = toHouseDate(at);
  return hour + minute / 60 + second / 3_600;
}
