import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { faceOf, LISTED, READ_WHOLE } from "./value-face.ts";

describe("the JSON face of a value", () => {
  // @proves subjects.types.non-finite
  test.each([NaN, Infinity, -Infinity])("%s is null and bad", (value) => {
    expect(faceOf(value, LISTED)).toEqual({ value: null, isBad: true });
  });

  // @proves subjects.types.int64
  test("integers beyond 2^53-1 are text with format int64, smaller ones numbers", () => {
    expect(faceOf(2n ** 53n, LISTED)).toEqual({ value: "9007199254740992", format: "int64" });
    expect(faceOf(41n, LISTED)).toEqual({ value: 41 });
  });

  // @proves subjects.types.bytes
  test("bytes up to 1 KiB are base64, longer ones tell their length", () => {
    expect(faceOf(new Uint8Array([1, 2, 255]), LISTED)).toEqual({ value: "AQL/" });
    expect(faceOf(new Uint8Array(1_024), LISTED).value).toHaveLength(1_368);
    expect(faceOf(new Uint8Array(1_025), LISTED)).toEqual({ value: { $bytes: 1_025 } });
  });

  // @proves subjects.limits.string
  test("text above 500 characters is cut with an ellipsis and its length; a single read gives up to 20 000", () => {
    expect(faceOf("x".repeat(500), LISTED)).toEqual({ value: "x".repeat(500) });
    expect(faceOf("x".repeat(501), LISTED)).toEqual({ value: `${"x".repeat(500)}…`, length: 501 });
    expect(faceOf("x".repeat(20_000), READ_WHOLE)).toEqual({ value: "x".repeat(20_000) });
    expect(faceOf("x".repeat(20_001), READ_WHOLE)).toMatchObject({ length: 20_001 });
  });

  // @proves subjects.limits.list
  test("a list above 50 items shows the first 50 and its length", () => {
    const list = Array.from({ length: 51 }, (_, i) => i);
    expect(faceOf(list.slice(0, 50), LISTED)).toEqual({ value: list.slice(0, 50) });
    expect(faceOf(list, LISTED)).toEqual({ value: list.slice(0, 50), length: 51 });
  });

  test("what is cut further inside says that something is missing", () => {
    expect(faceOf({ log: "x".repeat(600) }, LISTED)).toMatchObject({ isTruncated: true });
    expect(faceOf([Array.from({ length: 60 }, () => 0)], LISTED)).toMatchObject({ isTruncated: true });
  });

  test("a pair of surrogates is never split", () => {
    const face = faceOf("😀".repeat(400), { ...LISTED, text: 501 });
    expect((face.value as string).isWellFormed()).toBe(true);
  });

  test("cycles, throwing getters and 10 000-deep values end in null, not in an exception", () => {
    const loop: Record<string, unknown> = { name: "loop" };
    loop["self"] = loop;
    expect(faceOf(loop, LISTED)).toEqual({ value: { name: "loop", self: null }, isTruncated: true });
    const trap = {
      get boom() {
        throw new Error("secret text");
      },
      fine: 1,
    };
    expect(faceOf(trap, LISTED)).toEqual({ value: { boom: null, fine: 1 }, isBad: true });
    let deep: unknown = 1;
    for (let i = 0; i < 10_000; i++) deep = [deep];
    expect(faceOf(deep, LISTED)).toMatchObject({ isTruncated: true });
  });

  test("keys named like members of the prototype stay ordinary keys", () => {
    const raw: unknown = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "toString": 2}');
    const { value } = faceOf(raw, LISTED);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true},"constructor":1,"toString":2}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("a value of 5 MB is shown within its bound", () => {
    const big = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, "x".repeat(1_000)]));
    expect(JSON.stringify(faceOf(big, LISTED).value).length).toBeLessThan(10_000);
    expect(JSON.stringify(faceOf(big, READ_WHOLE).value).length).toBeLessThan(150_000);
  });

  test("whatever JSON can hold comes out unchanged", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const { value: face, isTruncated } = faceOf(value, READ_WHOLE);
        if (isTruncated !== true) expect(JSON.stringify(face)).toBe(JSON.stringify(value));
      }),
    );
  });
});
