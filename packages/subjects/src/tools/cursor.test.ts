import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeCursor, encodeCursor } from "./cursor.ts";

describe("cursor", () => {
  test("a place survives the way through a cursor", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), fc.nat(), fc.string(), (steps, admitted, question) => {
        // A lone surrogate has no UTF-8 form; keys that hold one cannot be carried.
        fc.pre(steps.every((step) => step.isWellFormed()) && question.isWellFormed());
        expect(decodeCursor(encodeCursor({ steps, admitted, question }), question)).toEqual({
          steps,
          admitted,
          question,
        });
      }),
    );
  });

  test.each([
    "",
    "not a cursor",
    "ab/cd",
    Buffer.from("[1]").toString("base64url"),
    Buffer.from('{"a":1}').toString("base64url"),
    "A".repeat(200_000),
  ])("%# garbage is INVALID_ARGUMENTS", (text) => {
    expect(() => decodeCursor(text, "q")).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENTS" }));
  });

  test("a cursor of another question is refused", () => {
    const cursor = encodeCursor({ steps: ["a"], admitted: 1, question: "one" });
    expect(() => decodeCursor(cursor, "two")).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENTS" }));
  });
});
