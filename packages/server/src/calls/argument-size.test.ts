import fc from "fast-check";
import { expect, test } from "vitest";
import { hasMoreElementsThan } from "./argument-size.ts";

function count(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members: unknown[] = Object.values(value);
  return members.length + members.reduce<number>((sum, member) => sum + count(member), 0);
}

test("items and keys are counted at every depth", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const elements = count(value);
      expect(hasMoreElementsThan(elements, value)).toBe(false);
      if (elements > 0) expect(hasMoreElementsThan(elements - 1, value)).toBe(true);
    }),
  );
});
