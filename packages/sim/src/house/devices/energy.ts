import { f32, packedDate, readUnsigned, type HouseDate } from "../codecs.ts";
import type { Answer } from "../device.ts";
import type { EnergyMeters, EnergyUse } from "../physics/energy-meters.ts";

/** Fuel (1 solar, 2 environment, 3 electricity, 4 gas, 9 heat pump) and use (0 all, 3 heating, 4 hot water, 5 cooling). */
const USES: Readonly<Record<string, EnergyUse>> = {
  "3/3": "electricityHeating",
  "3/4": "electricityHotWater",
  "4/3": "gasHeating",
  "4/4": "gasHotWater",
};

const ALL = 0;
const DAY = 1;
const MONTH = 2;
const YEAR = 3;

/** B516 with 10: how much of what, for what, in which period. Answers in Wh and repeats the question. */
export function answerEnergy(data: readonly number[], meters: EnergyMeters, today: HouseDate): Answer {
  const [form, period = 0, , , fuel = 0, use = 0, low = 0, high = 0] = data;
  if (form !== 0x10 || data.length !== 8 || period > YEAR) return "unknown";
  const asked = readUnsigned([low, high]);
  const year = 2000 + (asked >> 9);
  const month = (asked >> 5) & 0x0f;
  const day = asked & 0x1f;
  const uses = use === 0 ? [3, 4].map((one) => USES[`${fuel}/${one}`]) : [USES[`${fuel}/${use}`]];
  const total = uses.reduce((sum, name) => sum + (name === undefined ? 0 : inPeriod(name)), 0);
  return [period, 0x00, 0xff, fuel, use, low, high, ...f32(total)];

  function inPeriod(name: EnergyUse): number {
    if (period === ALL) return meters.totalWh(name);
    if (period === YEAR) return meters.yearWh(name, year);
    if (period === MONTH) return year === today.year && month === today.month ? meters.monthWh(name) : 0;
    return period === DAY ? meters.dayWh(name, { year, month, day }) : 0;
  }
}

/** The copies that the controller broadcasts: each use for today, this year and last year. */
export function energyBroadcasts(meters: EnergyMeters, today: HouseDate): number[][] {
  return Object.entries(USES).flatMap(([key, name]) => {
    const [fuel = 0, use = 0] = key.split("/").map(Number);
    const copy = (period: number, date: readonly number[], wattHours: number): number[] => [
      period,
      0x00,
      0xff,
      fuel,
      use,
      ...date,
      ...f32(wattHours),
    ];
    const ofYear = (year: number): number[] =>
      copy(YEAR, packedDate({ year, month: 0, day: 0 }), meters.yearWh(name, year));
    return [copy(DAY, packedDate(today), meters.dayWh(name, today)), ofYear(today.year), ofYear(today.year - 1)];
  });
}
