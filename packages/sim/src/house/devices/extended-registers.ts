import { f32, readF32, readUnsigned, u16, u8 } from "../codecs.ts";
import { GROUP_DESCRIPTORS } from "../data/controller-registers.data.ts";
import { VRC700_TIMER_DAY } from "../data/timers.data.ts";
import type { Answer } from "../device.ts";
import type { ArmedFaults } from "../faults.ts";
import { toRegisterKey, type Register, type RegisterImage, type RegisterKey } from "../register-image.ts";

/** "Not supported", as far as a controller can say it. */
const UNSUPPORTED: Answer = [0x00];
/** Seen from controllers that acknowledge a write and change nothing. */
const NOTHING_CHANGED: Answer = [0x02, 0x00, 0x03];
const MOST_TEXT_BYTES = 7;
const CONSTRAINT_TYPES = { u8: 0x06, u16: 0x09, f32: 0x0f } as const;
/** Timers the older controller keeps: a handful of selectors, seven days each. */
const MOST_OLD_TIMERS = 64;

/** B524 as the controller at 15 answers it. */
export function createExtendedRegisters({
  image,
  faults,
  isVrc700,
  onWrite,
}: {
  image: RegisterImage;
  faults: ArmedFaults;
  isVrc700: () => boolean;
  /** After a value was stored: some registers start something. */
  onWrite: (key: RegisterKey) => void;
}): { answer(data: readonly number[]): Answer } {
  const oldTimers = new Map<string, readonly number[]>();

  function read(key: RegisterKey, register: Register, header: readonly number[]): Answer {
    const zone = /^02\/03\/(..)\/1C$/.exec(key)?.[1];
    const vanished =
      zone !== undefined && faults.zoneVanish.strike((options) => options.zone === Number.parseInt(zone, 16));
    if (vanished) return [...header, 0xff];
    return register.value.length === 0 ? [] : [...header, ...register.value];
  }

  function write(key: RegisterKey, register: Register, header: readonly number[], value: readonly number[]): Answer {
    if (register.flags < 2 || !fits(register, value)) return NOTHING_CHANGED;
    if (!inTheWrongMode(key)) {
      image.put(key, value);
      onWrite(key);
    }
    return header;
  }

  /** A desired zone temperature counts in manual mode and outside holidays; else it is acknowledged and ignored. */
  function inTheWrongMode(key: RegisterKey): boolean {
    const zone = /^(02\/03\/..)\/22$/.exec(key)?.[1];
    if (zone === undefined) return false;
    const away = [3, 4].includes(image.number(`${zone}/0E`) ?? 0);
    return image.number(`${zone}/06`) !== 2 || away;
  }

  function local(data: readonly number[]): Answer {
    const [opcode = 0, writes = 0, group = 0, instance = 0, low = 0, high = 0, ...value] = data;
    if (data.length < 6 || high !== 0 || writes > 1) return UNSUPPORTED;
    const key = toRegisterKey(opcode, group, instance, low);
    const register = image.get(key);
    if (register === undefined) return UNSUPPORTED;
    const header = [register.flags, group, low, high];
    return writes === 0 ? read(key, register, header) : write(key, register, header, value);
  }

  function constraint(group: number, register: number): Answer {
    const { type, limits } = image.get(toRegisterKey(0x02, group, 0, register)) ?? {};
    if (limits === undefined || (type !== "u8" && type !== "u16" && type !== "f32")) return UNSUPPORTED;
    const encode = { u8, u16, f32 }[type];
    return [CONSTRAINT_TYPES[type], group, register, 0x00, ...limits.flatMap((limit) => encode(limit))];
  }

  function oldTimer(data: readonly number[]): Answer {
    if (!isVrc700()) return [];
    const [opcode, ...selector] = data.slice(0, 5);
    if (selector.length < 4) return UNSUPPORTED;
    const key = selector.join("/");
    if (opcode === 0x03) return oldTimers.get(key) ?? VRC700_TIMER_DAY;
    if (oldTimers.has(key) || oldTimers.size < MOST_OLD_TIMERS) oldTimers.set(key, data.slice(5));
    return [];
  }

  return {
    answer(data) {
      const [opcode, group = 0, register = 0] = data;
      switch (opcode) {
        case 0x00:
          return f32(GROUP_DESCRIPTORS[group] ?? null);
        case 0x01:
          return data.length === 3 ? constraint(group, register) : UNSUPPORTED;
        case 0x02:
        case 0x06:
          return local(data);
        case 0x03:
        case 0x04:
          return oldTimer(data);
        default:
          return UNSUPPORTED;
      }
    },
  };
}

function fits({ type, value: present, limits }: Register, value: readonly number[]): boolean {
  if (type === "text") return value.length >= 1 && value.length <= MOST_TEXT_BYTES && value.at(-1) === 0x00;
  const width = present.length > 0 ? present.length : type === "u8" ? 1 : type === "u16" ? 2 : 4;
  if (value.length !== width) return false;
  if (limits === undefined) return true;
  const number = type === "f32" ? readF32(value) : readUnsigned(value);
  return number !== null && number >= limits[0] && number <= limits[1];
}
