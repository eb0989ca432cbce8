import { expect, test } from "vitest";
import { checkedScope } from "./token-scope.ts";

const scope = (wanted: Parameters<typeof checkedScope>[0]) => checkedScope(wanted, ["subjects"]);
const refused = expect.objectContaining({ code: "TOKEN_SCOPE_REFUSED" });

test("nothing to narrow is no scope", () => {
  expect(scope({})).toBeUndefined();
});

test("a token for some places is for the tools that look at places, and for no others", () => {
  expect(scope({ pathPrefixes: ["/farm/barn/", "/heating"] })).toEqual({
    pathPrefixes: ["/farm/barn", "/heating"],
    toolsets: ["subjects"],
  });
  expect(() => scope({ pathPrefixes: ["/farm"], toolsets: ["subjects", "actions"] })).toThrow(refused);
  expect(() => checkedScope({ pathPrefixes: ["/farm"], toolsets: ["subjects"] }, [])).toThrow(refused);
});

test("a whole graph may be named, and names may hold what names hold", () => {
  expect(scope({ pathPrefixes: ["/"] })).toMatchObject({ pathPrefixes: ["/"] });
  expect(scope({ pathPrefixes: ["/rooms[Living Room]/lamp #2"] })).toBeDefined();
});

test.each([
  "",
  "barn",
  "//",
  "/barn//",
  "//barn",
  "/barn//fan",
  "/barn/..",
  "/barn/../house",
  "/./barn",
  "/barn/.",
  "/barn%2F..",
  "/barn%2e%2e",
  "/barn\\..\\house",
  "/barn\u0000",
  "/ba\u200Brn",
  "/\u202Enrab",
  `/${"x".repeat(600)}`,
])("the place %j is refused, not interpreted", (prefix) => {
  expect(() => scope({ pathPrefixes: [prefix] })).toThrow(refused);
});

test("no places at all, or far too many, are refused", () => {
  expect(() => scope({ pathPrefixes: [] })).toThrow(refused);
  expect(() => scope({ pathPrefixes: Array.from({ length: 33 }, (_, i) => `/a${i}`) })).toThrow(refused);
  expect(() => scope({ toolsets: Array.from({ length: 65 }, (_, i) => `t${i}`) })).toThrow(refused);
});
