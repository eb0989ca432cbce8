import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalHash } from "./canonical-hash.ts";
import type { Json } from "./json.ts";

test("the golden vectors hold", () => {
  const golden: [Json, string][] = [
    [null, "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"],
    [{}, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"],
    [[], "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"],
    ["ABSENT", "e2a4f41ffa7e493ece58261e73f22a981fc5b3cf036689f0540c090869e6ff35"],
    [{ dropped: true }, "f2bc686255f4c31838cf256405258122d01443b083edb9fa2b0e711c66a40f27"],
  ];
  for (const [json, hash] of golden) expect(canonicalHash(json)).toBe(hash);
});

test("key order and a trip over the wire change nothing, a change of value does", () => {
  expect(canonicalHash({ b: 1, a: [1, { d: 1, c: 2 }] })).toBe(canonicalHash({ a: [1, { c: 2, d: 1 }], b: 1 }));
  expect(canonicalHash({ a: 1 })).not.toBe(canonicalHash({ a: "1" }));
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      expect(canonicalHash(json as Json)).toBe(canonicalHash(JSON.parse(JSON.stringify(json)) as Json));
    }),
  );
});

test("what has no canonical form is refused", () => {
  expect(() => canonicalHash("\uD800")).toThrow();
  expect(() => canonicalHash(Number.NaN)).toThrow();
});
