import { invalid, notRepresentable, type DataType } from "./data-type.ts";
import { fromBcd, toBcd } from "./decimal-types.ts";

/** A day of the calendar, in the years 2000 to 2099 that two digits can say. */
export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

type Field = "day" | "month" | "weekday" | "year";

interface Layout {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly packed: boolean;
  /** The number of Monday. */
  readonly monday?: 0 | 1;
}

/** Dates of single bytes for day, month, year, and a weekday that is written right and read without trust. */
function date({ name, fields, packed, monday = 1 }: Layout): DataType<CalendarDate> {
  const read = (byte: number): number | undefined => (packed ? fromBcd(byte) : byte);
  const write = (value: number): number => (packed ? toBcd(value) : value);
  return {
    name,
    bytes: fields.length,
    decode(raw) {
      const at = (field: Field): number => raw[fields.indexOf(field)] ?? 0;
      if (at("day") === 0xff && at("month") === 0xff) return null;
      const [day, month, year] = [read(at("day")), read(at("month")), read(at("year"))];
      if (day === undefined || month === undefined || year === undefined || year > 99) throw invalid(name, raw);
      const value = { year: 2000 + year, month, day };
      if (!exists(value)) throw invalid(name, raw);
      return value;
    },
    encode(value) {
      if (value === null) return new Uint8Array(fields.length).fill(0xff);
      if (!exists(value) || value.year < 2000 || value.year > 2099) throw notRepresentable(name, dateText(value));
      const bytes: Record<Field, number> = {
        day: write(value.day),
        month: write(value.month),
        weekday: write(weekdayFromMonday(value) + monday),
        year: write(value.year - 2000),
      };
      return Uint8Array.from(fields, (field) => bytes[field]);
    },
  };
}

function exists({ year, month, day }: CalendarDate): boolean {
  const moment = new Date(Date.UTC(year, month - 1, day));
  return moment.getUTCFullYear() === year && moment.getUTCMonth() === month - 1 && moment.getUTCDate() === day;
}

function weekdayFromMonday({ year, month, day }: CalendarDate): number {
  return (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
}

function dateText({ year, month, day }: CalendarDate): string {
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${year}-${two(month)}-${two(day)}`;
}

export const BDA = date({ name: "BDA", fields: ["day", "month", "weekday", "year"], packed: true });
export const BDA3 = date({ name: "BDA:3", fields: ["day", "month", "year"], packed: true });
export const BDZ = date({ name: "BDZ", fields: ["day", "month", "weekday", "year"], packed: true, monday: 0 });
export const HDA = date({ name: "HDA", fields: ["day", "month", "weekday", "year"], packed: false });
export const HDA3 = date({ name: "HDA:3", fields: ["day", "month", "year"], packed: false });

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAY_ZERO = Date.UTC(1900, 0, 1);
const MINUTE_ZERO = Date.UTC(2009, 0, 1);

/** Days since 1900-01-01. */
export const DAY: DataType<CalendarDate> = {
  name: "DAY",
  bytes: 2,
  decode(raw) {
    const days = (raw[0] ?? 0) | ((raw[1] ?? 0) << 8);
    if (days === 0xffff) return null;
    const moment = new Date(DAY_ZERO + days * DAY_MS);
    return { year: moment.getUTCFullYear(), month: moment.getUTCMonth() + 1, day: moment.getUTCDate() };
  },
  encode(value) {
    if (value === null) return Uint8Array.of(0xff, 0xff);
    const days = (Date.UTC(value.year, value.month - 1, value.day) - DAY_ZERO) / DAY_MS;
    if (!exists(value) || days < 0 || days >= 0xffff) throw notRepresentable("DAY", dateText(value));
    return Uint8Array.of(days & 0xff, days >> 8);
  },
};

/** Minutes since 2009-01-01, as the local time `YYYY-MM-DDTHH:MM` of the device. */
export const DTM: DataType<string> = {
  name: "DTM",
  bytes: 4,
  decode(raw) {
    const minutes = new DataView(raw.buffer, raw.byteOffset, 4).getUint32(0, true);
    if (minutes === 0xffffffff) return null;
    const moment = new Date(MINUTE_ZERO + minutes * MINUTE_MS);
    if (moment.getUTCFullYear() > 9999) throw invalid("DTM", raw);
    return moment.toISOString().slice(0, 16);
  },
  encode(value) {
    const raw = new Uint8Array(4);
    const view = new DataView(raw.buffer);
    if (value === null) {
      view.setUint32(0, 0xffffffff, true);
      return raw;
    }
    const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(value) ? Date.parse(`${value}:00Z`) : Number.NaN;
    const minutes = (moment - MINUTE_ZERO) / MINUTE_MS;
    if (Number.isNaN(minutes) || minutes < 0 || minutes >= 0xffffffff) throw notRepresentable("DTM", value);
    view.setUint32(0, minutes, true);
    return raw;
  },
};
