import { subjectError } from "../subject-error.ts";

export interface Unit {
  readonly id: string;
  readonly symbol?: string;
  /** UN/ECE Recommendation 20 common code. */
  readonly unece?: string;
  readonly ucum?: string;
}

const unit = (id: string, symbol: string, unece: string, ucum: string): Unit => ({ id, symbol, unece, ucum });

/** The one table of units. The id is what travels. */
export const UNITS: readonly Unit[] = [
  unit("Percent", "%", "P1", "%"),
  unit("DegreeCelsius", "°C", "CEL", "Cel"),
  unit("Kelvin", "K", "KEL", "K"),
  unit("Watt", "W", "WTT", "W"),
  unit("Kilowatt", "kW", "KWT", "kW"),
  unit("WattHour", "Wh", "WHR", "W.h"),
  unit("KilowattHour", "kWh", "KWH", "kW.h"),
  unit("Volt", "V", "VLT", "V"),
  unit("Ampere", "A", "AMP", "A"),
  unit("Milliampere", "mA", "4K", "mA"),
  unit("Lux", "lx", "LUX", "lx"),
  unit("Lumen", "lm", "LUM", "lm"),
  unit("Second", "s", "SEC", "s"),
  unit("Degree", "°", "DD", "deg"),
  unit("Hertz", "Hz", "HTZ", "Hz"),
  unit("Bar", "bar", "BAR", "bar"),
  unit("Hectopascal", "hPa", "A97", "hPa"),
  unit("Kilopascal", "kPa", "KPA", "kPa"),
  unit("Meter", "m", "MTR", "m"),
  unit("Millimeter", "mm", "MMT", "mm"),
  unit("Kilometer", "km", "KMT", "km"),
  unit("MeterPerSecond", "m/s", "MTS", "m/s"),
  unit("Liter", "L", "LTR", "L"),
  unit("CubicMeter", "m³", "MTQ", "m3"),
  unit("LiterPerHour", "L/h", "E32", "L/h"),
  unit("CubicMeterPerHour", "m³/h", "MQH", "m3/h"),
  unit("MillimeterPerHour", "mm/h", "H67", "mm/h"),
  unit("Kilogram", "kg", "KGM", "kg"),
  unit("PartsPerMillion", "ppm", "59", "[ppm]"),
  { id: "UvIndex" },
  { id: "Currency" },
  { id: "HexColor" },
  { id: "Kilobyte" },
  { id: "KilobytePerSecond" },
  { id: "MegabitPerSecond" },
  { id: "RevolutionsPerMinute" },
  { id: "Decibel" },
];

const CUSTOM_UNIT = "custom:";
const MAX_CUSTOM_CHARS = 64;

const byId = new Map(UNITS.map((one) => [one.id, one]));
const bySymbol = indexBy("symbol");
const byUnece = indexBy("unece");
const byUcum = indexBy("ucum");

function indexBy(field: "symbol" | "unece" | "ucum"): ReadonlyMap<string, Unit> {
  const index = new Map<string, Unit>();
  for (const one of UNITS) {
    const code = one[field];
    if (code !== undefined) index.set(code, one);
  }
  return index;
}

export function unitById(id: string): Unit | undefined {
  return byId.get(id);
}

/**
 * The wire id for a unit as some other system writes it: our id, a symbol, a UN/ECE or a UCUM code. What the table does
 * not know passes through as `custom:<text>`.
 */
export function unitFrom(foreign: string): string {
  const text = foreign.trim();
  const known = byId.get(text) ?? bySymbol.get(text) ?? byUcum.get(text) ?? byUnece.get(text);
  if (known !== undefined) return known.id;
  if (text.startsWith(CUSTOM_UNIT)) return text;
  return CUSTOM_UNIT + text.slice(0, MAX_CUSTOM_CHARS);
}

/** Refuses free text: a unit is from the table or says that it is custom. */
export function checkUnit(id: string, where: string): void {
  if (byId.has(id) || (id.startsWith(CUSTOM_UNIT) && id.length > CUSTOM_UNIT.length)) return;
  throw subjectError(
    "DEFINITION_ERROR",
    `${where}: ${JSON.stringify(id)} is no known unit; use an id of the table, or ${CUSTOM_UNIT}<text>.`,
  );
}
