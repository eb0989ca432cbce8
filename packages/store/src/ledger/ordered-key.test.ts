import fc from "fast-check";
import { expect, test } from "vitest";
import { fromOrderedKey, toOrderedKey } from "./ordered-key.ts";

// Any code units at all, lone surrogates included, with the troublesome ranges frequent.
const unit = fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd700, max: 0xe100 }));
const key = fc.array(unit, { maxLength: 8 }).map((units) => String.fromCharCode(...units));

test("a key comes back as it was, also through UTF-8", () => {
  fc.assert(
    fc.property(key, (text) => {
      const stored = Buffer.from(toOrderedKey(text), "utf8").toString("utf8");
      expect(fromOrderedKey(stored)).toBe(text);
    }),
  );
});

test("the order of stored bytes is the order of code units", () => {
  fc.assert(
    fc.property(key, key, (a, b) => {
      const stored = Buffer.compare(Buffer.from(toOrderedKey(a)), Buffer.from(toOrderedKey(b)));
      expect(Math.sign(stored)).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});

test("ordinary text is stored as it is", () => {
  expect(toOrderedKey("farm/relay/7 – Wärme")).toBe("farm/relay/7 – Wärme");
});
