import fc from "fast-check";
import { expect, test } from "vitest";
import { awkwardText } from "../testing/awkward-text.ts";
import { escapeName, escapeText, parsePath, printStep, unescapeText } from "./path-text.ts";

// @proves subjects.paths.escape-set
test("exactly percent, slash, brackets and control characters are escaped", () => {
  expect(escapeText("a%b/c[d]e")).toBe("a%25b%2Fc%5Bd%5De");
  expect(escapeText("\u0000\n\u007f\u0085")).toBe("%00%0A%7F%C2%85");
  for (const literal of [" ", ".", "a.b", "ä", "日本", "🚜", "user@host", "$x", "~!#&?:;,='\"\\"])
    expect(escapeText(literal)).toBe(literal);
  expect([escapeName("."), escapeName(".."), escapeName("...")]).toEqual(["%2E", "%2E%2E", "..."]);
});

// @proves subjects.paths.escape-set subjects.paths.decode-any
test("any text survives being written into a path and read back", () => {
  fc.assert(
    fc.property(awkwardText(), awkwardText(), (name, key) => {
      expect(unescapeText(escapeText(name))).toBe(name);
      fc.pre(name.length > 0);
      const printed = printStep(name, key);
      expect(parsePath(`/${printed}`)).toEqual({ steps: [{ name, key, text: printed }] });
      const bare = printStep(name);
      expect(parsePath(bare)).toEqual({ steps: [{ name, key: undefined, text: bare }] });
      // oxlint-disable-next-line no-control-regex -- that there are none is what is claimed
      expect(printed).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    }),
  );
});

test("whatever is thrown at the parser, it answers steps or a sentence", () => {
  fc.assert(
    fc.property(fc.oneof(awkwardText(), fc.string()), (text) => {
      const parsed = parsePath(text);
      if ("problem" in parsed) expect(parsed.problem).toMatch(/\.$/);
      else expect(Array.isArray(parsed.steps)).toBe(true);
    }),
  );
  expect(parsePath("x".repeat(5_000_000))).toHaveProperty("problem");
});
