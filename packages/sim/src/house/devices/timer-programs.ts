import { u16 } from "../codecs.ts";
import {
  FULL_DAY,
  HEATING_PROGRAMS,
  HOT_WATER_PROGRAM,
  TIMER_CONFIGS,
  type TimerConfig,
  type TimerKind,
  type TimerSlot,
} from "../data/timers.data.ts";

export const NO_TEMPERATURE = 0xffff;

/** A timer somebody can have: heating of one zone, hot water, circulation. */
export interface TimerProgram {
  readonly kind: TimerKind;
  readonly config: TimerConfig;
  readonly days: DayProgram[];
}

export interface DayProgram {
  count: number;
  /** By slot; one that was announced and never came is missing, and reads show slot 0 in its place. */
  readonly slots: (TimerSlot | undefined)[];
}

export interface TimerPrograms {
  /** `zone` as on the wire; hot water and circulation are at FF, and 00 means the same. */
  find(zone: number, kind: number): TimerProgram | undefined;
}

export function createTimerPrograms(): TimerPrograms {
  const programs = new Map<string, TimerProgram>();
  for (const [zone, days] of HEATING_PROGRAMS.entries()) {
    programs.set(`${zone}/0`, toProgram("heating", days));
  }
  programs.set("house/2", toProgram("dhw", HOT_WATER_PROGRAM));
  programs.set(
    "house/3",
    toProgram(
      "circulation",
      HOT_WATER_PROGRAM.map(() => ({ ...FULL_DAY, temperature: NO_TEMPERATURE })),
    ),
  );
  return {
    find(zone, kind) {
      if (kind === 2 || kind === 3) return zone === 0xff || zone === 0x00 ? programs.get(`house/${kind}`) : undefined;
      return programs.get(`${zone}/${kind}`);
    },
  };
}

function toProgram(kind: TimerKind, days: readonly TimerSlot[]): TimerProgram {
  return { kind, config: TIMER_CONFIGS[kind], days: days.map((slot) => ({ count: 1, slots: [slot] })) };
}

export function slotBytes({ startHour, startMinute, endHour, endMinute, temperature }: TimerSlot): number[] {
  return [startHour, startMinute, endHour, endMinute, ...u16(temperature)];
}
