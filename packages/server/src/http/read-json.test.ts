import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "./read-json.ts";

const read = (text: string, depth = 8) => readJson(Buffer.from(text), depth);

test("whatever JSON can say is read as it is", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      expect(read(text, 64)).toEqual({ kind: "json", value: JSON.parse(text) as unknown });
    }),
  );
});

test("whatever is no JSON is found out", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const { kind } = read(text, 64);
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect(kind === "json").toBe(isJson);
    }),
  );
});

test.each(['"', '{"a":1', '{"a', "[", "]", "", "\\", '"\\', '{"a":1}}', "\u0000", '{"a":01}', "NaN", "\uFEFF{}"])(
  "%j is no JSON",
  (text) => {
    expect(read(text)).toEqual({ kind: "not-json" });
  },
);

test.each([
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '[{"b":{"a":1,"b":2,"a":1}}]',
  '{"__proto__":1,"__proto__":2}',
  '{"method":"tools/list","id":1,"method":"tools/call"}',
])("a name that occurs twice in one object is refused: %s", (text) => {
  expect(read(text)).toEqual({ kind: "repeated-name" });
});

test.each([
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":1}]',
  '{"a":":","b":"\\":","c:":1}',
  '{"__proto__":{"a":1}}',
  '{"":1}',
])("the same name in another object, or a colon in a text, is none of that: %s", (text) => {
  expect(read(text)).toEqual({ kind: "json", value: JSON.parse(text) as unknown });
});

test("nesting is allowed as far as the limit and no further, whatever stands in texts", () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  expect(read(nested(8))).toMatchObject({ kind: "json" });
  expect(read(nested(9))).toEqual({ kind: "too-deep" });
  expect(read(`{"a":${nested(8)}}`)).toEqual({ kind: "too-deep" });
  expect(read(`["${"[".repeat(100)}","\\"${"{".repeat(100)}"]`)).toMatchObject({ kind: "json" });
  // Millions of brackets are not even looked at.
  expect(read("[".repeat(4_000_000))).toEqual({ kind: "too-deep" });
});
