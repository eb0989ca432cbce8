export type TimerKind = "heating" | "dhw" | "circulation";

/** Temperature in tenths of a degree; FFFF is none. */
export interface TimerSlot {
  readonly startHour: number;
  readonly startMinute: number;
  readonly endHour: number;
  readonly endMinute: number;
  readonly temperature: number;
}

export interface TimerConfig {
  /** The answer to A3, status first, as real controllers give it. */
  readonly answer: readonly number[];
  readonly maxSlots: number;
  /** Tenths of a degree; absent where the timer has no temperature. */
  readonly temperatures?: { readonly min: number; readonly max: number };
}

export const TIMER_CONFIGS: Readonly<Record<TimerKind, TimerConfig>> = {
  heating: {
    answer: [0x00, 0x0c, 0x0a, 0x05, 0x01, 0x0c, 0x05, 0x1e, 0x00],
    maxSlots: 12,
    temperatures: { min: 50, max: 300 },
  },
  dhw: {
    answer: [0x00, 0x03, 0x0a, 0x0a, 0x01, 0x01, 0x23, 0x41, 0x00],
    maxSlots: 3,
    temperatures: { min: 350, max: 650 },
  },
  circulation: { answer: [0x00, 0x03, 0x0a, 0x00, 0x00, 0x00, 0xff, 0xff, 0x00], maxSlots: 3 },
};

export const TIMER_UNAVAILABLE: readonly number[] = [0x03, 0x01, 0x01, 0x00, 0x00, 0x00, 0xff, 0xff, 0x00];

export const FULL_DAY: TimerSlot = { startHour: 0, startMinute: 0, endHour: 24, endMinute: 0, temperature: 225 };

const week = (weekday: TimerSlot, saturday: TimerSlot, sunday: TimerSlot): TimerSlot[] => [
  ...Array.from({ length: 5 }, () => weekday),
  saturday,
  sunday,
];

/** By zone, Monday first. */
export const HEATING_PROGRAMS: readonly (readonly TimerSlot[])[] = [225, 200].map((temperature) => {
  const day = { ...FULL_DAY, temperature };
  return week(day, day, { ...day, endHour: 18 });
});

const HOT_WATER_DAY: TimerSlot = { ...FULL_DAY, temperature: 610 };
export const HOT_WATER_PROGRAM: readonly TimerSlot[] = week(
  HOT_WATER_DAY,
  { ...HOT_WATER_DAY, startHour: 6 },
  HOT_WATER_DAY,
);

/** A day of the older controller (B524 with 03): three slots of start and end in ten minutes, 90 unused. Filled in. */
export const VRC700_TIMER_DAY: readonly number[] = [0x21, 0x84, 0x90, 0x90, 0x90, 0x90];
