import { expect, test } from "vitest";
import { jsonOf, withJson } from "./encoded-result.ts";

const result = () => ({
  content: [{ type: "text" as const, text: '[{"a":"ü\n"}]' }],
  structuredContent: { list: [{ a: 1 }] },
});
const encoded = () => ({
  structured: JSON.stringify(result().structuredContent),
  text: JSON.stringify(result().content[0]?.text),
});

test("a result whose JSON was made before is sent as the same bytes", () => {
  const made = withJson(result(), encoded());
  expect(jsonOf(made)).toBe(JSON.stringify(result()));
  expect(made).toEqual(result());
  expect(jsonOf(withJson(result(), undefined))).toBe(JSON.stringify(result()));
});

test("another result that is made of it does not inherit its JSON", () => {
  const made = withJson(result(), encoded());
  expect(jsonOf({ ...made, isError: true })).toBe(JSON.stringify({ ...result(), isError: true }));
});
