import type { HouseDate } from "../codecs.ts";
import type { RegisterImage, RegisterKey } from "../register-image.ts";

export type EnergyUse = "gasHeating" | "electricityHeating" | "electricityHotWater" | "gasHotWater";

type CalendarDay = Pick<HouseDate, "year" | "month" | "day">;

/** The controller keeps about sixteen days. */
const MOST_DAYS = 16;

/** Month, last month, total, in kWh. */
const REGISTERS: Readonly<Record<EnergyUse, readonly [RegisterKey, RegisterKey, RegisterKey]>> = {
  gasHeating: ["02/00/00/4E", "02/00/00/52", "02/00/00/56"],
  electricityHeating: ["02/00/00/4F", "02/00/00/53", "02/00/00/57"],
  electricityHotWater: ["02/00/00/50", "02/00/00/54", "02/00/00/58"],
  gasHotWater: ["02/00/00/51", "02/00/00/55", "02/00/00/59"],
};
const ALL_ELECTRICITY = "02/00/00/5C";
const ALL_FUEL = "02/00/00/5D";

/** What last year took, in Wh: there is no capture of it. */
const LAST_YEAR: Readonly<Record<EnergyUse, number>> = {
  gasHeating: 11_840_000,
  electricityHeating: 196_000,
  electricityHotWater: 31_000,
  gasHotWater: 2_310_000,
};

export interface EnergyMeters {
  add(use: EnergyUse, wattHours: number): void;
  totalWh(use: EnergyUse): number;
  monthWh(use: EnergyUse): number;
  yearWh(use: EnergyUse, year: number): number;
  dayWh(use: EnergyUse, day: CalendarDay): number;
  /** Turns the page when the day, month or year has changed. */
  turnTo(today: HouseDate): void;
  /** Writes whole kWh into the registers. */
  publish(): void;
}

interface Meter {
  total: number;
  month: number;
  lastMonth: number;
  year: number;
  lastYear: number;
  readonly days: Map<string, number>;
}

/** Starts from what the registers say; counts watt-hours from there. */
export function createEnergyMeters({ image, today }: { image: RegisterImage; today: HouseDate }): EnergyMeters {
  const uses = Object.keys(REGISTERS) as EnergyUse[]; // the keys of a record over EnergyUse
  let page = today;
  const meters = Object.fromEntries(
    uses.map((use) => {
      const [month, lastMonth, total] = REGISTERS[use].map((key) => (image.number(key) ?? 0) * 1_000);
      const year = total ?? 0;
      const meter: Meter = {
        total: total ?? 0,
        month: month ?? 0,
        lastMonth: lastMonth ?? 0,
        year,
        lastYear: LAST_YEAR[use],
        days: new Map(),
      };
      return [use, meter];
    }),
  ) as Record<EnergyUse, Meter>; // one entry for each use

  function turnPage(date: HouseDate): void {
    for (const use of uses) {
      const meter = meters[use];
      if (date.month !== page.month || date.year !== page.year) {
        meter.lastMonth = meter.month;
        meter.month = 0;
      }
      if (date.year !== page.year) {
        meter.lastYear = meter.year;
        meter.year = 0;
      }
      for (const oldest of [...meter.days.keys()].slice(0, Math.max(0, meter.days.size - MOST_DAYS))) {
        meter.days.delete(oldest);
      }
    }
    page = date;
  }

  return {
    add(use, wattHours) {
      const meter = meters[use];
      const day = dayKey(page);
      meter.total += wattHours;
      meter.month += wattHours;
      meter.year += wattHours;
      meter.days.set(day, (meter.days.get(day) ?? 0) + wattHours);
    },
    totalWh: (use) => meters[use].total,
    monthWh: (use) => meters[use].month,
    yearWh(use, year) {
      if (year === page.year) return meters[use].year;
      return year === page.year - 1 ? meters[use].lastYear : 0;
    },
    dayWh: (use, day) => meters[use].days.get(dayKey(day)) ?? 0,
    turnTo(date) {
      if (date.day !== page.day || date.month !== page.month || date.year !== page.year) turnPage(date);
    },
    publish() {
      for (const use of uses) {
        const [month, lastMonth, total] = REGISTERS[use];
        image.putNumber(month, Math.floor(meters[use].month / 1_000));
        image.putNumber(lastMonth, Math.floor(meters[use].lastMonth / 1_000));
        image.putNumber(total, Math.floor(meters[use].total / 1_000));
      }
      const inKwh = (one: EnergyUse, other: EnergyUse): number =>
        Math.floor((meters[one].total + meters[other].total) / 1_000);
      image.putNumber(ALL_ELECTRICITY, inKwh("electricityHeating", "electricityHotWater"));
      image.putNumber(ALL_FUEL, inKwh("gasHeating", "gasHotWater"));
    },
  };
}

function dayKey({ year, month, day }: CalendarDay): string {
  return `${year}-${month}-${day}`;
}
