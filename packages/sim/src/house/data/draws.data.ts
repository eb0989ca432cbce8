/** Hot water taken on an ordinary day: minute of the day it begins, how long, how much. */
export const HOT_WATER_DRAWS: readonly {
  readonly from: number;
  readonly minutes: number;
  readonly litresPerMinute: number;
}[] = [
  { from: 6 * 60 + 40, minutes: 8, litresPerMinute: 8 },
  { from: 7 * 60 + 20, minutes: 5, litresPerMinute: 6 },
  { from: 12 * 60 + 30, minutes: 4, litresPerMinute: 4.5 },
  { from: 18 * 60 + 45, minutes: 6, litresPerMinute: 5.5 },
  { from: 21 * 60 + 30, minutes: 10, litresPerMinute: 8.5 },
];
