import fc from "fast-check";
import { expect, test } from "vitest";
import { isAccountPrincipal, readLoginName, requireLoginName } from "./login-name.ts";

test.each([
  ["Anna", "anna"],
  ["  ANNA ", "anna"],
  ["ａｎｎａ", "anna"], // full width
  ["ᴬnna", "anna"], // modifier letter
  ["\u212Aim", "kim"], // Kelvin sign
  ["Anna.Berg+farm@Example.ORG", "anna.berg+farm@example.org"],
])("%s is the same name as %s", (given, name) => {
  expect(readLoginName(given)).toBe(name);
});

test.each([
  ["аnna", "a Cyrillic letter that looks Latin"],
  ["an\u200Bna", "a character nobody sees"],
  ["\u202Eanna", "a turned writing direction"],
  ["anna\u0000", "a control character"],
  ["../anna", "a path"],
  ["oauth:anna", "somebody else's namespace"],
  ["a/b", "a slash"],
  ["", "nothing"],
  [".anna", "a leading dot"],
  ["a".repeat(255), "more than 254 characters"],
  ["\uFDFA".repeat(200), "a text that grows when it is normalised"],
])("%s is no name: %s", (given) => {
  expect(readLoginName(given)).toBeUndefined();
  expect(() => requireLoginName(given)).toThrow(expect.objectContaining({ code: "NAME_REFUSED" }));
});

test.each(["local", "Anonymous", "SYSTEM", "steading"])("%s belongs to the hub", (given) => {
  expect(() => requireLoginName(given)).toThrow(expect.objectContaining({ code: "NAME_REFUSED" }));
});

test("reading a name twice changes nothing, and every name is an account's principal", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (given) => {
      const name = readLoginName(given);
      if (name === undefined) return;
      expect(readLoginName(name)).toBe(name);
      expect(name).toMatch(/^[a-z0-9._+@-]+$/);
    }),
  );
  expect(isAccountPrincipal("anna")).toBe(true);
  expect(isAccountPrincipal("local")).toBe(false);
  expect(isAccountPrincipal("automation:7")).toBe(false);
});
