// What the devices of this house put into their answers, and the two types they must read from writes.

export const u8 = (value: number): number[] => [Math.round(value) & 0xff];
export const u16 = (value: number): number[] => [Math.round(value) & 0xff, (Math.round(value) >> 8) & 0xff];
export const u32 = (value: number): number[] => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, Math.round(value), true);
  return [...bytes];
};

/** u8/2; what a sensor cannot show is FF. */
export const d1c = (value: number | null): number[] => [
  value === null || value < 0 || value > 127 ? 0xff : Math.round(value * 2),
];
/** s16/256; none is 00 80. */
export const d2b = (value: number | null): number[] => (value === null ? [0x00, 0x80] : u16(Math.round(value * 256)));
/** s16/16; none is 00 80. */
export const d2c = (value: number | null): number[] => (value === null ? [0x00, 0x80] : u16(Math.round(value * 16)));

/** The bit pattern of controllers for "no value"; the other one in use is 00 00 C0 7F. */
export const F32_NONE: readonly number[] = [0xff, 0xff, 0xff, 0x7f];

export function f32(value: number | null): number[] {
  if (value === null) return [...F32_NONE];
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return [...bytes];
}

/** Big endian, as the heat pump at 08 sends it. */
export const f32BigEndian = (value: number | null): number[] => f32(value).toReversed();

/** Null for NaN and for anything but four bytes. */
export function readF32(bytes: ArrayLike<number>): number | null {
  if (bytes.length !== 4) return null;
  const value = new DataView(Uint8Array.from(bytes).buffer).getFloat32(0, true);
  return Number.isNaN(value) ? null : value;
}

/** Whatever width arrives, low byte first. */
export function readUnsigned(bytes: ArrayLike<number>): number {
  return Array.from(bytes).reduceRight((value, byte) => value * 256 + byte, 0);
}

const bcd = (value: number): number => (Math.floor(value / 10) % 10) * 16 + (value % 10);

/** The calendar of the house: UTC fields of a moment that its owner has shifted already. */
export interface HouseDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** 0 is Monday. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

export function toHouseDate(epochMs: number): HouseDate {
  const date = new Date(epochMs);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: (date.getUTCDay() + 6) % 7,
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

/** Binary day, month, year: how B524 writes dates. */
export const hda3 = (date: HouseDate): number[] => [date.day, date.month, date.year % 100];
/** Binary hour, minute, second: how B524 writes times. */
export const hti = (date: HouseDate): number[] => [date.hour, date.minute, date.second];
/** BCD second, minute, hour. */
export const bti = (date: HouseDate): number[] => [bcd(date.second), bcd(date.minute), bcd(date.hour)];
/** BCD day, month, weekday (Monday 1), year. */
export const bda = (date: HouseDate): number[] => [
  bcd(date.day),
  bcd(date.month),
  date.weekday + 1,
  bcd(date.year % 100),
];
/** The day of a B516 energy question, packed into sixteen bits; parts that do not count are 0. */
export const packedDate = ({ year, month, day }: { year: number; month: number; day: number }): number[] =>
  u16(((year - 2000) << 9) | (month << 5) | day);
