import { expect, test } from "vitest";
import { unitById, unitFrom, UNITS } from "./units.ts";

// @proves subjects.units.codes subjects.units.wire-id
test("every unit maps to its symbol and codes and back", () => {
  const rows = UNITS.filter(({ symbol }) => symbol !== undefined).map(({ id, symbol, unece, ucum }) => [
    id,
    symbol,
    unece,
    ucum,
  ]);
  expect(rows).toEqual([
    ["Percent", "%", "P1", "%"],
    ["DegreeCelsius", "°C", "CEL", "Cel"],
    ["Kelvin", "K", "KEL", "K"],
    ["Watt", "W", "WTT", "W"],
    ["Kilowatt", "kW", "KWT", "kW"],
    ["WattHour", "Wh", "WHR", "W.h"],
    ["KilowattHour", "kWh", "KWH", "kW.h"],
    ["Volt", "V", "VLT", "V"],
    ["Ampere", "A", "AMP", "A"],
    ["Milliampere", "mA", "4K", "mA"],
    ["Lux", "lx", "LUX", "lx"],
    ["Lumen", "lm", "LUM", "lm"],
    ["Second", "s", "SEC", "s"],
    ["Degree", "°", "DD", "deg"],
    ["Hertz", "Hz", "HTZ", "Hz"],
    ["Bar", "bar", "BAR", "bar"],
    ["Hectopascal", "hPa", "A97", "hPa"],
    ["Kilopascal", "kPa", "KPA", "kPa"],
    ["Meter", "m", "MTR", "m"],
    ["Millimeter", "mm", "MMT", "mm"],
    ["Kilometer", "km", "KMT", "km"],
    ["MeterPerSecond", "m/s", "MTS", "m/s"],
    ["Liter", "L", "LTR", "L"],
    ["CubicMeter", "m³", "MTQ", "m3"],
    ["LiterPerHour", "L/h", "E32", "L/h"],
    ["CubicMeterPerHour", "m³/h", "MQH", "m3/h"],
    ["MillimeterPerHour", "mm/h", "H67", "mm/h"],
    ["Kilogram", "kg", "KGM", "kg"],
    ["PartsPerMillion", "ppm", "59", "[ppm]"],
  ]);
  for (const { id, symbol, unece, ucum } of UNITS) {
    for (const code of [id, symbol, unece, ucum]) if (code !== undefined) expect(unitFrom(code)).toBe(id);
    expect(id).toMatch(/^[A-Z][A-Za-z]*$/);
  }
  for (const id of [
    "UvIndex",
    "Currency",
    "HexColor",
    "Kilobyte",
    "KilobytePerSecond",
    "MegabitPerSecond",
    "RevolutionsPerMinute",
    "Decibel",
  ])
    expect(unitById(id)).toEqual({ id });
});

// @proves subjects.units.custom
test("a foreign unit that nobody knows keeps its text behind the custom prefix", () => {
  expect(unitFrom("furlong/fortnight")).toBe("custom:furlong/fortnight");
  expect(unitFrom("custom:furlong")).toBe("custom:furlong");
});
