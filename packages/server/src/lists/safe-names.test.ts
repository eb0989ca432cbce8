import fc from "fast-check";
import { expect, test } from "vitest";
import { createSafeNames } from "./safe-names.ts";

const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,64}$/);

// @proves mcp.lists.underscore-alias-unique
test("every name has an alias without dots that no other name has, and that leads back to it", () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 40 }), (names) => {
      const safe = createSafeNames(names);
      const aliases = names.map((each) => safe.toSafe(each));
      expect(new Set(aliases).size).toBe(names.length);
      for (const alias of aliases) expect(alias).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(aliases.map((alias) => safe.fromSafe(alias))).toEqual(names);
    }),
  );
});

test("where nothing clashes only the dots change", () => {
  expect(createSafeNames(["ebus.v1.zones.get", "query"]).toSafe("ebus.v1.zones.get")).toBe("ebus_v1_zones_get");
});

test("a name that clashes keeps its alias whatever else is in the list", () => {
  const few = createSafeNames(["a.b", "a_b"]);
  const many = createSafeNames(["a_b", "c", "a.b", "d.e"]);
  expect(few.toSafe("a.b")).toBe(many.toSafe("a.b"));
  expect(few.toSafe("a_b")).toBe("a_b");
});
