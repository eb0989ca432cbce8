import type { Metric } from "./register-mapping.ts";

export interface Calibration {
  readonly offset: number;
  readonly scale: number;
}

/** Text for what is no number, or for an integer that a number cannot hold. */
export type RegisterValue = number | string;

/** What the words mean; undefined when they say that there is no value. */
export function registerValue(
  metric: Metric,
  words: readonly number[],
  { offset, scale }: Calibration,
): RegisterValue | undefined {
  const bytes = orderedBytes(metric, words);
  if (metric.dataType === "string") return text(bytes);
  const raw = rawValue(metric, bytes);
  if (raw === undefined || isNullValue(metric, raw, bytes)) return undefined;
  if (typeof raw === "bigint") {
    // Beyond 2^53 a number would be a guess. Scaled values are approximate anyway.
    const exact = raw >= Number.MIN_SAFE_INTEGER && raw <= Number.MAX_SAFE_INTEGER;
    const plain = metric.scale === 1 && metric.offset === 0 && scale === 1 && offset === 0;
    if (!exact && plain) return raw.toString();
  }
  if (metric.dataType === "bool" || metric.dataType === "boolean") return Number(raw) === 0 ? 0 : 1;
  const value = round3((Number(raw) * metric.scale + metric.offset) * scale + offset);
  return Number.isFinite(value) ? value : undefined;
}

/** Three decimals; what is too large to have any stays as it is. */
export function round3(value: number): number {
  const rounded = Math.round(value * 1_000) / 1_000;
  return Number.isFinite(rounded) ? rounded + 0 : value;
}

/** The bytes of the words in big-endian order, whatever order the device has. */
function orderedBytes({ wordOrder, byteOrder }: Metric, words: readonly number[]): Buffer {
  const ordered = wordOrder === "little" ? words.toReversed() : words;
  const bytes = Buffer.alloc(ordered.length * 2);
  ordered.forEach((word, i) =>
    byteOrder === "little" ? bytes.writeUInt16LE(word, i * 2) : bytes.writeUInt16BE(word, i * 2),
  );
  return bytes;
}

function rawValue({ dataType }: Metric, bytes: Buffer): number | bigint | undefined {
  if (bytes.length < needed(dataType)) return undefined;
  switch (dataType) {
    case "int16":
      return bytes.readInt16BE();
    case "uint32":
      return bytes.readUInt32BE();
    case "int32":
      return bytes.readInt32BE();
    case "float32":
      return shortest(bytes.readFloatBE());
    case "uint64":
      return bytes.readBigUInt64BE();
    case "int64":
      return bytes.readBigInt64BE();
    case "float64":
      return bytes.readDoubleBE();
    case "uint16":
    case "bits":
    case "bool":
    case "boolean":
    case "string":
      return bytes.readUInt16BE();
  }
}

function needed(dataType: Metric["dataType"]): number {
  if (dataType.endsWith("64")) return 8;
  return dataType.endsWith("32") ? 4 : 2;
}

/** A float32 as the decimal it stands for: 0.1 in single precision is 0.1, not 0.10000000149. */
function shortest(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(7)) : value;
}

/** Sentinels may be listed as the word that is sent or as the number it decodes to. */
function isNullValue({ nullValues }: Metric, raw: number | bigint, bytes: Buffer): boolean {
  if (typeof raw === "number" && !Number.isFinite(raw)) return true;
  if (nullValues.length === 0) return false;
  const unsigned = bytes.length === 2 ? bytes.readUInt16BE() : bytes.length === 4 ? bytes.readUInt32BE() : Number(raw);
  return nullValues.includes(Number(raw)) || nullValues.includes(unsigned);
}

function text(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString("latin1", 0, end < 0 ? bytes.length : end).trimEnd();
}
