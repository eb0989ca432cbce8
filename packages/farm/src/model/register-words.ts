import type { Metric } from "../modbus/register-mapping.ts";

/** The words that make a device hold this raw value, in the orders of its mapping. Undefined: it has no room for it. */
export function wordsFor({ dataType, wordOrder, byteOrder }: Metric, raw: number): readonly number[] | undefined {
  const bytes = bytesFor(dataType, raw);
  if (!bytes) return undefined;
  const words = Array.from({ length: bytes.length / 2 }, (_, i) =>
    byteOrder === "little" ? bytes.readUInt16LE(i * 2) : bytes.readUInt16BE(i * 2),
  );
  return wordOrder === "little" ? words.toReversed() : words;
}

function bytesFor(dataType: Metric["dataType"], raw: number): Buffer | undefined {
  const whole = Math.round(raw);
  const fits = (least: number, most: number): boolean => whole >= least && whole <= most;
  switch (dataType) {
    case "uint16":
    case "bits": {
      if (!fits(0, 0xffff)) return undefined;
      const bytes = Buffer.alloc(2);
      bytes.writeUInt16BE(whole);
      return bytes;
    }
    case "int16": {
      if (!fits(-0x8000, 0x7fff)) return undefined;
      const bytes = Buffer.alloc(2);
      bytes.writeInt16BE(whole);
      return bytes;
    }
    case "uint32": {
      if (!fits(0, 0xffff_ffff)) return undefined;
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(whole);
      return bytes;
    }
    case "int32": {
      if (!fits(-0x8000_0000, 0x7fff_ffff)) return undefined;
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(whole);
      return bytes;
    }
    case "float32": {
      if (!Number.isFinite(Math.fround(raw))) return undefined;
      const bytes = Buffer.alloc(4);
      bytes.writeFloatBE(raw);
      return bytes;
    }
    case "bool":
    case "boolean":
      return whole === 0 || whole === 1 ? Buffer.of(0, whole) : undefined;
    case "uint64":
    case "int64":
    case "float64":
    case "string":
      return undefined;
  }
}
