import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "@steading/kernel";
import { jsonSize } from "./json-size.ts";

test("the size is that of the serialised text, to the character", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      expect(jsonSize(value as Json)).toBe(JSON.stringify(value).length);
    }),
  );
});
