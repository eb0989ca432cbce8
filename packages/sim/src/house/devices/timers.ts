import { readUnsigned } from "../codecs.ts";
import { TIMER_UNAVAILABLE } from "../data/timers.data.ts";
import type { Answer } from "../device.ts";
import type { ArmedFaults } from "../faults.ts";
import type { HouseClock } from "../clock.ts";
import type { RegisterImage } from "../register-image.ts";
import { NO_TEMPERATURE, slotBytes, type DayProgram, type TimerPrograms, type TimerProgram } from "./timer-programs.ts";

const OK = 0x00;
const OUT_OF_RANGE = 0x01;
const UNAVAILABLE = 0x03;
const NOT_VALID = 0x06;

/** Slots after the first must follow each other within that long, or they are acknowledged and lost. */
const SLOT_FOLLOWS_WITHIN_MS = 300;
const HOT_WATER_SETPOINT = "02/01/00/04";

/** B555: the week programs of a VRC720. */
export function createTimers({
  clock,
  programs,
  image,
  faults,
}: {
  clock: HouseClock;
  programs: TimerPrograms;
  image: RegisterImage;
  faults: ArmedFaults;
}): { answer(data: readonly number[]): Answer } {
  let lastWrite: { readonly day: DayProgram; readonly at: number } | undefined;

  function read(program: TimerProgram | undefined, weekday: number, slot: number): Answer {
    const day = program?.days[weekday];
    const first = day?.slots[0];
    if (program === undefined || day === undefined || first === undefined || slot >= program.config.maxSlots) {
      return [UNAVAILABLE, 0, 0, 0, 0, 0xff, 0xff];
    }
    const stored = day.slots[slot] ?? first;
    const setpoint = image.number(HOT_WATER_SETPOINT);
    const temperature = program.kind === "dhw" && setpoint !== null ? Math.round(setpoint * 10) : stored.temperature;
    return [OK, ...slotBytes({ ...stored, temperature })];
  }

  function check(program: TimerProgram, given: WrittenSlot): number {
    const { startHour, startMinute, endHour, endMinute, temperature, count, slot, weekday, zone } = given;
    const { config, kind } = program;
    if (count > config.maxSlots || count < 1 || slot >= count || weekday > 6) return OUT_OF_RANGE;
    if (startHour > 24 || endHour > 24 || startMinute > 59 || endMinute > 59) return OUT_OF_RANGE;
    if (kind === "heating" && temperature === NO_TEMPERATURE) return OUT_OF_RANGE;
    if (temperature === NO_TEMPERATURE || config.temperatures === undefined) return OK;
    if (temperature < config.temperatures.min || temperature > config.temperatures.max) return NOT_VALID;
    const fullDay = startHour === 0 && startMinute === 0 && endHour === 24 && endMinute === 0;
    return kind === "dhw" && zone === 0xff && fullDay ? NOT_VALID : OK;
  }

  function write(program: TimerProgram | undefined, given: WrittenSlot): Answer {
    if (program === undefined) return [UNAVAILABLE];
    const code = check(program, given);
    const day = program.days[given.weekday];
    if (code !== OK || day === undefined) return [code === OK ? OUT_OF_RANGE : code];
    const at = clock.now();
    const inTime = lastWrite?.day === day && at - lastWrite.at <= SLOT_FOLLOWS_WITHIN_MS;
    if (given.slot > 0 && !inTime) return [OK];
    lastWrite = { day, at };
    if (given.slot > 0 && faults.lostTimerSlot.strike() !== undefined) return [OK];
    if (given.slot === 0) {
      day.count = given.count;
      day.slots.length = 0;
    }
    const { startHour, startMinute, endHour, endMinute, temperature } = given;
    day.slots[given.slot] = { startHour, startMinute, endHour, endMinute, temperature };
    // Hot water has one temperature for everything: the setpoint. FFFF leaves it.
    if (program.kind === "dhw" && temperature !== NO_TEMPERATURE) {
      image.putNumber(HOT_WATER_SETPOINT, temperature / 10);
    }
    return [OK];
  }

  return {
    answer(data) {
      const [operation = 0, zone = 0, kind = 0, weekday = 0, slot = 0] = data;
      const program = programs.find(zone, kind);
      if (operation === 0xa3 && data.length === 3) return program?.config.answer ?? TIMER_UNAVAILABLE;
      if (operation === 0xa4 && data.length === 3) {
        if (program === undefined) return [UNAVAILABLE, 0, 0, 0, 0, 0, 0, 0, 0];
        return [OK, ...program.days.map((day) => day.count), 0x00];
      }
      if (operation === 0xa5 && data.length === 5) return read(program, weekday, slot);
      if (operation === 0xa6 && data.length === 12) return write(program, toWrittenSlot(data));
      return "unknown";
    },
  };
}

interface WrittenSlot {
  readonly zone: number;
  readonly weekday: number;
  readonly slot: number;
  readonly count: number;
  readonly startHour: number;
  readonly startMinute: number;
  readonly endHour: number;
  readonly endMinute: number;
  readonly temperature: number;
}

function toWrittenSlot(data: readonly number[]): WrittenSlot {
  const [, zone = 0, , weekday = 0, slot = 0, count = 0, startHour = 0, startMinute = 0, endHour = 0, endMinute = 0] =
    data;
  const temperature = readUnsigned(data.slice(10));
  return { zone, weekday, slot, count, startHour, startMinute, endHour, endMinute, temperature };
}
