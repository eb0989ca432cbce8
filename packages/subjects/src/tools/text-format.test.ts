import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BrowseNode } from "./browse-node.ts";
import { browseText, searchText, valueText } from "./text-format.ts";

const lamp: BrowseNode = {
  $path: "/hall/lamp",
  $type: "Lamp",
  $fullType: "demo.Lamp",
  $title: "Hall lamp",
  $icon: "bulb",
  methods: ["blink", "identify"],
  interfaces: ["steading.Switch", "steading.Dimmer"],
  properties: {
    on: { kind: "value", value: true, type: "boolean", isWritable: true },
    note: {
      kind: "value",
      value: "",
      type: "string",
      isWritable: false,
      attributes: { range: { low: 1 }, hint: "a\nb" },
    },
    pressure: { kind: "value", value: null, type: "number", isWritable: false, unit: "Bar", quality: "unknown" },
    sensors: { kind: "collection", isCollapsed: true, count: 3, itemType: "Sensor" },
    things: { kind: "dictionary", isCollapsed: true, count: 7 },
  },
};

describe("text format", () => {
  // @proves subjects.extras.text-layout subjects.extras.text-values subjects.extras.text-last-line
  test("a subject is printed with its properties, attributes, collapsed collections, methods and interfaces", () => {
    expect(
      browseText({
        result: { $path: "/hall", $type: "Room", properties: { lamp: { kind: "object", child: lamp } } },
        subjectCount: 2,
        truncated: false,
      })
        .split("\n")
        .slice(2),
    ).toEqual([
      "",
      "/hall [Room]",
      '  /hall/lamp [demo.Lamp] $title="Hall lamp" $icon=bulb',
      "    on: true | boolean, writable",
      '    note: "" | string',
      '      @range: {"low":1}',
      "      @hint: a\\nb",
      "    pressure: null | number, unit Bar, quality unknown",
      "    sensors/ (3x Sensor)",
      "    things/ (7 children)",
      "    methods: blink() identify()",
      "    interfaces: steading.Switch, steading.Dimmer",
      "[2 subjects]",
    ]);
  });

  test("the first two lines are comments and the third is blank", () => {
    const lines = browseText({ result: lamp, subjectCount: 1, truncated: false }).split("\n");
    expect(lines[0]).toMatch(/^# /);
    expect(lines[1]).toMatch(/^# /);
    expect(lines[2]).toBe("");
    expect(lines.at(-1)).toBe("[1 subject]");
  });

  test("the last line counts, and says when the answer was cut", () => {
    expect(browseText({ result: lamp, subjectCount: 3, truncated: true })).toMatch(/\n\[3 subjects, truncated\]$/);
    expect(browseText({ result: lamp, subjectCount: 0, truncated: false })).toMatch(/\n\[0 subjects\]$/);
  });

  test("search results are set apart by a blank line, and nothing found is one sentence", () => {
    const two = searchText({
      results: { "/a": { $path: "/a", $type: "A" }, "/b": { $path: "/b", $type: "B" } },
      subjectCount: 2,
      truncated: false,
    });
    expect(two.split("\n").slice(2)).toEqual(["", "/a [A]", "", "/b [B]", "[2 subjects]"]);
    expect(searchText({ results: {}, subjectCount: 0, truncated: false })).toBe("No subject matches.");
    expect(searchText({ results: {}, subjectCount: 0, truncated: true })).toContain("truncated");
  });

  test("text above 100 characters is cut", () => {
    expect(valueText("x".repeat(100))).toBe("x".repeat(100));
    expect(valueText("x".repeat(101))).toBe(`${"x".repeat(100)}...`);
  });

  // @proves subjects.extras.text-no-forgery
  test("no value, name, path or metadata can imitate a line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (evil) => {
        const node: BrowseNode = {
          $path: `/${evil}`,
          $type: evil,
          $title: evil,
          methods: [evil],
          interfaces: [evil],
          properties: {
            [`p${evil}`]: {
              kind: "value",
              value: evil,
              type: "string",
              isWritable: false,
              attributes: { a: evil, b: [evil] },
            },
          },
        };
        expect(
          browseText({ result: node, subjectCount: 1, truncated: false }).split(/[\n\r\u2028\u2029\u0085]/),
        ).toHaveLength(10);
      }),
    );
  });
});
