import { describe, expect, test } from "vitest";
import { coerceValue, type ValueShape } from "./coerce-value.ts";

const read = (given: unknown, shape: ValueShape): unknown => {
  const read = coerceValue(given, shape);
  return read.ok ? read.value : read.code;
};

describe("coercion of outside values", () => {
  test("an integer of so many bits holds what fits into them, with a sign or without", () => {
    const byte: ValueShape = { kind: "integer", bits: 8 };
    expect([255, -128, "7"].map((given) => read(given, byte))).toEqual([255, -128, 7]);
    expect([256, -129, 300, 1.5].map((given) => read(given, byte))).toEqual(Array(4).fill("TYPE_MISMATCH"));
  });

  test("a list of a kind reads every element as that kind, and names the one that does not fit", () => {
    const numbers: ValueShape = { kind: "array", items: { kind: "number" } };
    expect(read([1, "2.5"], numbers)).toEqual([1, 2.5]);
    expect(read('["1", 2]', numbers)).toEqual([1, 2]);
    expect(read([], numbers)).toEqual([]);
    expect(coerceValue([1, "a"], numbers)).toEqual({
      ok: false,
      code: "TYPE_MISMATCH",
      why: "a list, and each element to be a number; element 1 is not",
    });
    expect(read([1, null], numbers)).toBe("TYPE_MISMATCH");
    expect(read([1, null], { kind: "array", items: { kind: "number", nullable: true } })).toEqual([1, null]);
    expect(read([[1], ["x"]], { kind: "array", items: numbers })).toBe("TYPE_MISMATCH");
    expect(read(["open", "ajar"], { kind: "array", items: { kind: "enum", enum: ["open", "shut"] } })).toBe(
      "TYPE_MISMATCH",
    );
  });

  // @proves subjects.coerce.number
  test.each([
    [23.5, 23.5],
    ["23.5", 23.5],
    ["-1e3", -1000],
    [0, 0],
  ])("a number takes %j", (given, value) => {
    expect(read(given, { kind: "number" })).toBe(value);
  });
  // @proves subjects.coerce.number
  test.each(["", "23,5", "abc", true, NaN, Infinity, "0x10", " 5", "1e999", [], {}])("a number refuses %j", (given) => {
    expect(read(given, { kind: "number" })).toBe("TYPE_MISMATCH");
  });

  // @proves subjects.coerce.integer
  test.each([
    [5, 5],
    [5.0, 5],
    ["5", 5],
    ["-7", -7],
  ])("an integer takes %j", (given, value) => {
    expect(read(given, { kind: "integer" })).toBe(value);
  });
  // @proves subjects.coerce.integer
  test.each([5.5, "5.5", 2 ** 53, "9007199254740993", true, ""])("an integer refuses %j", (given) => {
    expect(read(given, { kind: "integer" })).toBe("TYPE_MISMATCH");
  });

  // @proves subjects.coerce.boolean
  test.each([
    [true, true],
    [false, false],
    ["true", true],
    ["False", false],
    ["TRUE", true],
  ])("a boolean takes %j", (given, value) => {
    expect(read(given, { kind: "boolean" })).toBe(value);
  });
  // @proves subjects.coerce.boolean
  test.each([0, 1, "on", "yes", "", "1"])("a boolean refuses %j", (given) => {
    expect(read(given, { kind: "boolean" })).toBe("TYPE_MISMATCH");
  });

  // @proves subjects.coerce.string
  test.each(["true", "5", "null", "", " spaced "])("a string keeps %j verbatim", (given) => {
    expect(read(given, { kind: "string", nullable: true })).toBe(given);
  });
  // @proves subjects.coerce.string
  test.each([5, true, [], {}])("a string refuses %j", (given) => {
    expect(read(given, { kind: "string" })).toBe("TYPE_MISMATCH");
  });

  // @proves subjects.coerce.enum
  test("an enum takes a member or a unique match in another case, and names its members otherwise", () => {
    const mode: ValueShape = { kind: "enum", enum: ["off", "Heat", "heat", "auto"] };
    expect(read("heat", mode)).toBe("heat");
    expect(read("AUTO", mode)).toBe("auto");
    expect(read("HEAT", mode)).toBe("TYPE_MISMATCH");
    expect(read(1, mode)).toBe("TYPE_MISMATCH");
    expect(coerceValue("warm", mode)).toMatchObject({ why: expect.stringContaining('"off", "Heat", "heat", "auto"') });
  });

  // @proves subjects.coerce.temporal
  test.each<[ValueShape["kind"], string]>([
    ["date-time", "2026-03-01T06:30:00Z"],
    ["date-time", "2026-03-01T06:30:00.123+01:00"],
    ["date", "2024-02-29"],
    ["time", "06:30"],
    ["duration", "PT15M"],
    ["duration", "P1DT2H"],
    ["uuid", "3f2b8c1e-0d4a-4c52-9b7e-2f6d8a1c5e90"],
    ["url", "https://example.org/a"],
  ])("a %s takes %s", (kind, given) => {
    expect(read(given, { kind })).toBe(given);
  });
  // @proves subjects.coerce.temporal
  test.each<[ValueShape["kind"], unknown]>([
    ["date-time", 1_772_000_000],
    ["date-time", "yesterday"],
    ["date-time", "2026-13-01T00:00:00Z"],
    ["date", "2026-02-29"],
    ["time", "25:00"],
    ["duration", "P"],
    ["duration", 900],
    ["uuid", "3f2b8c1e"],
    ["url", "no url"],
  ])("a %s refuses %j", (kind, given) => {
    expect(read(given, { kind })).toBe("TYPE_MISMATCH");
  });

  // @proves subjects.coerce.json
  test("lists and objects take JSON, and text that begins like it", () => {
    expect(read([1], { kind: "array" })).toEqual([1]);
    expect(read("[1, 2]", { kind: "array" })).toEqual([1, 2]);
    expect(read('{"a": 1}', { kind: "object" })).toEqual({ a: 1 });
    expect(read("[1", { kind: "array" })).toBe("TYPE_MISMATCH");
    expect(read("{}", { kind: "array" })).toBe("TYPE_MISMATCH");
    expect(read("5", { kind: "object" })).toBe("TYPE_MISMATCH");
  });

  // @proves subjects.coerce.null
  test("null goes to nullables only, and as text only where text is not the type", () => {
    expect(read(null, { kind: "number", nullable: true })).toBeNull();
    expect(read("null", { kind: "number", nullable: true })).toBeNull();
    expect(read(null, { kind: "number" })).toBe("NULL_NOT_ALLOWED");
    expect(read("null", { kind: "number" })).toBe("TYPE_MISMATCH");
    expect(read("null", { kind: "enum", enum: ["null", "x"], nullable: true })).toBe("null");
  });

  test("bytes take base64, and say why the length of a long value cannot be written back", () => {
    expect(read("AQL/", { kind: "bytes" })).toEqual(new Uint8Array([1, 2, 255]));
    expect(read("AQL", { kind: "bytes" })).toBe("TYPE_MISMATCH");
    expect(coerceValue({ $bytes: 2_000 }, { kind: "bytes" })).toMatchObject({
      why: expect.stringContaining("too long"),
    });
  });

  test("64-bit counters take text and refuse what does not fit", () => {
    expect(read("9223372036854775807", { kind: "int64" })).toBe(9223372036854775807n);
    expect(read("18446744073709551616", { kind: "int64" })).toBe("TYPE_MISMATCH");
    expect(read(5, { kind: "int64" })).toBe(5n);
  });
});
