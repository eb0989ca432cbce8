import fc from "fast-check";
import { expect, test } from "vitest";
import { deviceText } from "./device-text.ts";

// @proves kernel.text.no-control-characters
test("control characters and direction overrides are taken out", () => {
  expect(deviceText("Pump\u0000 \u202Eone\u202C\u0007\u009B31m\u200B\u2066x\u2069", 100)).toBe("Pump one31mx");
  expect(deviceText("two\nlines\tand\r\nmore", 100)).toBe("two lines and more");
  expect(deviceText("  Küche 厨房 🏡 ", 100)).toBe("Küche 厨房 🏡");
});

// @proves kernel.text.capped
test("a long text is cut between characters and marked", () => {
  expect(deviceText("abcdef", 6)).toBe("abcdef");
  expect(deviceText("abcdefg", 6)).toBe("abcde…");
  expect(deviceText("🏡🏡🏡", 2)).toBe("🏡…");
  expect(deviceText("x".repeat(10_000_000), 8)).toBe("xxxxxxx…");
  expect(deviceText("abc", 0)).toBe("");
});

test("whatever comes in, what goes out is clean, short and well formed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, cap) => {
      const clean = deviceText(text, cap);
      expect([...clean].length).toBeLessThanOrEqual(cap);
      expect(clean).not.toMatch(/\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u);
      expect(clean.isWellFormed()).toBe(true);
    }),
  );
});
