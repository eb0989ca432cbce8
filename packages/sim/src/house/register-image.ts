import { f32, F32_NONE, readF32, readUnsigned, u16, u32, u8 } from "./codecs.ts";
import type { RegisterGroup, RegisterRow, RegisterType } from "./data/controller-registers.data.ts";
import { fromHex, toHex } from "./hex.ts";

/** `02/03/00/22`: opcode, group, instance, register. */
export type RegisterKey = string;

export interface Register {
  readonly flags: number;
  readonly type: RegisterType;
  /** Empty: the register exists and is dormant. */
  readonly value: readonly number[];
  readonly limits: readonly [min: number, max: number, step: number] | undefined;
}

/** What a controller holds in its registers. The physics writes here what sensors see, and reads what people have set. */
export interface RegisterImage {
  get(key: RegisterKey): Register | undefined;
  put(key: RegisterKey, value: readonly number[]): void;
  /** Null when dormant, absent, NaN or of another width. */
  number(key: RegisterKey): number | null;
  /** Stores in the width the register has; one that is narrower than its type stays as it is. */
  putNumber(key: RegisterKey, value: number | null): void;
}

export function toRegisterKey(opcode: number, group: number, instance: number, register: number): RegisterKey {
  return toHex([opcode, group, instance, register]).replaceAll(" ", "/");
}

const NO_VALUE: Readonly<Record<RegisterType, readonly number[]>> = {
  u8: [0xff],
  u16: [0xff, 0xff],
  u32: [0xff, 0xff, 0xff, 0xff],
  f32: F32_NONE,
  date: [0xff, 0xff, 0xff],
  time: [0xff, 0xff, 0xff],
  text: [0x00],
  bytes3: [0xff, 0xff, 0xff],
};

export function createRegisterImage({
  groups,
  captured,
}: {
  groups: Readonly<Record<string, RegisterGroup>>;
  captured: Readonly<Record<string, readonly string[]>>;
}): RegisterImage {
  const registers = new Map<RegisterKey, Register>();

  function fill(name: string, { lastInstance, present, rows }: RegisterGroup): void {
    for (let instance = 0; instance <= lastInstance; instance += 1) {
      for (const row of rows) {
        const [register, type, flags, , limits] = row;
        const value = present.includes(instance) ? filledIn(row) : absent(name, row);
        registers.set(`${name}/${toHex([instance])}/${toHex([register])}`, { flags, type, value, limits });
      }
    }
  }

  for (const [name, group] of Object.entries(groups)) fill(name, group);
  for (const [place, answers] of Object.entries(captured)) {
    for (const answer of answers) {
      const [flags = 0, , register = 0, , ...value] = fromHex(answer);
      const key = `${place}/${toHex([register])}`;
      const known = registers.get(key);
      if (known === undefined) throw new Error(`Captured register ${key} is in no group.`);
      registers.set(key, { ...known, flags, value });
    }
  }

  return {
    get: (key) => registers.get(key),
    put(key, value) {
      const known = registers.get(key);
      if (known !== undefined) registers.set(key, { ...known, value: [...value] });
    },
    number(key) {
      const known = registers.get(key);
      if (known === undefined || known.value.length === 0) return null;
      return known.type === "f32" ? readF32(known.value) : readUnsigned(known.value);
    },
    putNumber(key, value) {
      const known = registers.get(key);
      if (known === undefined) return;
      if (known.type !== "f32") {
        const wide = u32(value ?? 0xffff_ffff).slice(0, known.value.length || widthOf(known.type));
        registers.set(key, { ...known, value: wide });
      } else if (known.value.length === 4) {
        registers.set(key, { ...known, value: f32(value) });
      }
    },
  };
}

/** The width of a whole number type; dates, times and texts are written as bytes only. */
function widthOf(type: RegisterType): number {
  return NO_VALUE[type].length;
}

function filledIn([, type, , value]: RegisterRow): readonly number[] {
  if (value === null) return [];
  if (typeof value === "string") return [...fromHex(value)];
  switch (type) {
    case "f32":
      return f32(value);
    case "u8":
      return u8(value);
    case "u16":
      return u16(value);
    default:
      return u32(value);
  }
}

/** A circuit that is not there says so with type 0; everything else of an absent instance has no value. */
function absent(group: string, [register, type]: RegisterRow): readonly number[] {
  if (group === "02/02" && register === 0x02) return [0x00, 0x00];
  if (group.startsWith("06/") && type === "u16") return [0x00, 0x80];
  return NO_VALUE[type];
}
