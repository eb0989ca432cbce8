import { describe, expect, test } from "vitest";
import * as z from "zod";
import { c } from "../define/c.ts";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { at, callTool, errorOf } from "./testing/call-tool.ts";
import { openRoot } from "./testing/open-root.ts";

const Zoo = defineSubject("test.Zoo", {
  props: {
    float: p.number({ unit: "DegreeCelsius" }).writable(),
    small: p.integer({ bits: 8 }).writable(),
    whole: p.integer().writable(),
    text: p.string().writable(),
    flag: p.boolean().writable(),
    uuid: p.uuid().writable(),
    url: p.url().writable(),
    mode: p.enum(["off", "heat", "auto"]).writable(),
    moment: p.dateTime().writable(),
    day: p.date().writable(),
    clock: p.time().writable(),
    span: p.duration().writable(),
    bytes: p.bytes().writable(),
    list: p.list(p.number()).writable(),
    record: p.record().writable(),
    unknown: p.unknown().writable(),
    maybe: p.integer().nullable().writable(),
    schedule: p.of(z.object({ day: z.enum(["mo", "tu"]), hour: z.int().min(0).max(23) })).writable(),
    foreign: p.number({ unit: "custom:furlong" }),
  },
  children: { child: c.one() },
  validate: ({ float, whole }) => (float > 90 && whole > 90 ? "float and whole cannot both be high." : undefined),
});

const values = {
  float: 20.5,
  small: 7,
  whole: 2 ** 53 - 1,
  text: "true",
  flag: true,
  uuid: "3f2b8c1e-0d4a-4c52-9b7e-2f6d8a1c5e90",
  url: "https://example.org/",
  mode: "heat",
  moment: "2026-03-01T06:30:00Z",
  day: "2026-03-01",
  clock: "06:30:00",
  span: "PT15M",
  bytes: new Uint8Array([1, 2, 255]),
  list: [1, 2],
  record: { a: 1 },
  unknown: { b: [1] },
  maybe: null,
  schedule: { day: "mo", hour: 7 },
  foreign: 3,
} as const;

const open = () => openRoot(Zoo.create(values));
const read = async (name: string) => callTool(open().tools, "get_property", { path: `/${name}` });

describe("declared types in answers", () => {
  // @proves subjects.types.plain-names subjects.types.integer subjects.types.list-whole
  test.each<[string, string, unknown]>([
    ["text", "string", "true"],
    ["uuid", "string", values.uuid],
    ["url", "string", values.url],
    ["float", "number", 20.5],
    ["small", "integer", 7],
    ["whole", "integer", 2 ** 53 - 1],
    ["flag", "boolean", true],
    ["list", "array", [1, 2]],
    ["record", "object", { a: 1 }],
    ["unknown", "object", { b: [1] }],
    ["bytes", "string", "AQL/"],
  ])("%s reports %s", async (name, type, value) => {
    expect(await read(name)).toMatchObject({ type, value });
  });

  // @proves subjects.types.enum subjects.facets.enum-order
  test("an enum reports string, the member, and all members in their order", async () => {
    expect(await read("mode")).toMatchObject({ type: "string", value: "heat", enum: ["off", "heat", "auto"] });
  });

  // @proves subjects.types.temporal
  test.each([
    ["moment", "date-time"],
    ["day", "date"],
    ["clock", "time"],
    ["span", "duration"],
  ])("%s reports string with format %s", async (name, format) => {
    expect(await read(name)).toMatchObject({ type: "string", format });
  });

  // @proves subjects.types.nullable-underlying
  test("a nullable property reports the type below", async () => {
    expect(await read("maybe")).toMatchObject({ type: "integer", value: null });
  });

  // @proves subjects.types.child-no-value-type
  test("a child property is no value", async () => {
    const root = Zoo.create({ ...values, child: Zoo.create(values) });
    const answer = await callTool(openRoot(root).tools, "query", { includeProperties: true });
    expect(at(answer, "subjects", "child", "$type")).toBe("Zoo");
    expect(at(answer, "subjects", "child")).not.toHaveProperty("type");
    expect(at(answer, "subject")).not.toHaveProperty("child");
  });

  // @proves subjects.units.wire-id subjects.units.custom
  test("units travel by their id, foreign ones with their prefix", async () => {
    expect(await read("float")).toMatchObject({ unit: "DegreeCelsius" });
    expect(await read("foreign")).toMatchObject({ unit: "custom:furlong" });
  });

  // @proves subjects.set-property.round-trip
  test("whatever was read can be written back, in every type", async () => {
    const { tools } = open();
    for (const name of Object.keys(values).filter((each) => each !== "foreign")) {
      const { value } = await callTool(tools, "get_property", { path: `/${name}` });
      expect(await callTool(tools, "set_property", { path: `/${name}`, value })).toMatchObject({
        success: true,
        previousValue: value,
        value,
      });
    }
  });

  // @proves subjects.error.validation-failed
  test("what a library schema or the subject's own validation refuses is VALIDATION_FAILED", async () => {
    const { tools } = open();
    const set = (name: string, value: unknown) => callTool(tools, "set_property", { path: `/${name}`, value });
    expect(await errorOf(set("schedule", { day: "fr", hour: 99 }))).toMatchObject({ code: "VALIDATION_FAILED" });
    expect(await set("schedule", '{"day":"tu","hour":8}')).toMatchObject({ value: { day: "tu", hour: 8 } });
    await set("whole", 95);
    expect(await errorOf(set("float", 95))).toMatchObject({
      code: "VALIDATION_FAILED",
      error: expect.stringContaining("both be high"),
    });
    expect(await callTool(tools, "get_property", { path: "/float" })).toMatchObject({ value: 20.5 });
  });
});
