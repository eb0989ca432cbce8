import { invalid, notRepresentable, type DataType } from "./data-type.ts";
import { fromBcd, toBcd } from "./decimal-types.ts";

/** A time of day. 24:00 exists: it ends the last slot of a day. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

type Field = "hour" | "minute" | "second";

interface Layout {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly packed: boolean;
  readonly replacement: number;
}

function time({ name, fields, packed, replacement }: Layout): DataType<TimeOfDay> {
  return {
    name,
    bytes: fields.length,
    decode(raw) {
      const [hourByte, minuteByte] = [raw[fields.indexOf("hour")], raw[fields.indexOf("minute")]];
      if (hourByte === replacement && minuteByte === replacement) return null;
      const at = (field: Field): number => {
        const index = fields.indexOf(field);
        if (index < 0) return 0;
        const byte = raw[index] ?? 0;
        return (packed ? fromBcd(byte) : byte) ?? Number.NaN;
      };
      const value = { hour: at("hour"), minute: at("minute"), second: at("second") };
      if (!exists(value)) throw invalid(name, raw);
      return value;
    },
    encode(value) {
      if (value === null) return new Uint8Array(fields.length).fill(replacement);
      if (!exists(value) || (!fields.includes("second") && value.second !== 0))
        throw notRepresentable(name, timeText(value));
      return Uint8Array.from(fields, (field) => (packed ? toBcd(value[field]) : value[field]));
    },
  };
}

/** Minutes of the day counted in steps, in one byte (or two for `MIN`). */
function steps(name: string, bytes: 1 | 2, minutes: number, replacement: number): DataType<TimeOfDay> {
  return {
    name,
    bytes,
    decode(raw) {
      const count = (raw[0] ?? 0) | (bytes === 2 ? (raw[1] ?? 0) << 8 : 0);
      if (count === replacement) return null;
      const total = count * minutes;
      if (total > 1440) throw invalid(name, raw);
      return { hour: Math.floor(total / 60), minute: total % 60, second: 0 };
    },
    encode(value) {
      if (value === null) return counted(replacement, bytes);
      const count = (value.hour * 60 + value.minute) / minutes;
      if (!exists(value) || value.second !== 0 || !Number.isInteger(count) || count === replacement)
        throw notRepresentable(name, timeText(value));
      return counted(count, bytes);
    },
  };
}

function counted(count: number, bytes: 1 | 2): Uint8Array {
  return bytes === 1 ? Uint8Array.of(count) : Uint8Array.of(count & 0xff, count >> 8);
}

function exists({ hour, minute, second }: TimeOfDay): boolean {
  const whole = [hour, minute, second].every((part) => Number.isInteger(part) && part >= 0);
  return whole && minute < 60 && second < 60 && (hour < 24 || (hour === 24 && minute === 0 && second === 0));
}

function timeText({ hour, minute, second }: TimeOfDay): string {
  return [hour, minute, second].map((part) => String(part).padStart(2, "0")).join(":");
}

export const BTI = time({ name: "BTI", fields: ["second", "minute", "hour"], packed: true, replacement: 0xff });
export const HTI = time({ name: "HTI", fields: ["hour", "minute", "second"], packed: false, replacement: 0xff });
export const VTI = time({ name: "VTI", fields: ["second", "minute", "hour"], packed: false, replacement: 0x63 });
export const BTM = time({ name: "BTM", fields: ["minute", "hour"], packed: true, replacement: 0xff });
export const HTM = time({ name: "HTM", fields: ["hour", "minute"], packed: false, replacement: 0xff });
export const VTM = time({ name: "VTM", fields: ["minute", "hour"], packed: false, replacement: 0xff });
export const MIN = steps("MIN", 2, 1, 0xffff);
export const TTM = steps("TTM", 1, 10, 0x90);
export const TTH = steps("TTH", 1, 30, 0x00);
export const TTQ = steps("TTQ", 1, 15, 0x00);
