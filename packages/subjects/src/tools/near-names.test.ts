import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editDistance, nearNames } from "./near-names.ts";

describe("near names", () => {
  test("a name in another case comes first", () => {
    expect(nearNames("Climate", ["climat", "climate", "fan"])).toEqual(["climate", "climat"]);
  });

  test("a swapped pair of letters is one typo", () => {
    expect(editDistance("tempreature", "temperature", 3)).toBe(1);
    expect(editDistance("ab", "ba", 3)).toBe(1);
    expect(nearNames("tmep", ["temp", "humidity"])).toEqual(["temp"]);
  });

  test("at most five are suggested, and nothing for a name that resembles none", () => {
    expect(nearNames("pump", ["pump1", "pump2", "pump3", "pump4", "pump5", "pump6"])).toHaveLength(5);
    expect(nearNames("xylophone", ["fan", "pump"])).toEqual([]);
  });

  test("looking stays cheap however many candidates there are", () => {
    let looked = 0;
    function* endless(): Generator<string> {
      for (;;) yield `key${looked++}`;
    }
    expect(nearNames("nothing like it", endless())).toEqual([]);
    expect(looked).toBeLessThan(10_000);
  });

  test("the distance is symmetric and zero only for equal words", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        expect(editDistance(a, b, 20)).toBe(editDistance(b, a, 20));
        expect(editDistance(a, b, 20) === 0).toBe(a === b);
      }),
    );
  });
});
