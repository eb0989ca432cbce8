import type { JsonObject } from "@steading/kernel";
import { expect, test } from "vitest";
import { createSharedValidators } from "./shared-validators.ts";

const schema: JsonObject = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const reordered: JsonObject = { required: ["a"], properties: { a: { type: "integer" } }, type: "object" };

function nested(depth: number): JsonObject {
  return depth === 0 ? { type: "string" } : { type: "object", not: nested(depth - 1) };
}

test("a value is judged by its schema", async () => {
  const validate = createSharedValidators().validatorFor(schema);
  expect(await validate({ a: 1 })).toBeUndefined();
  expect(await validate({ a: "x" })).toContain("integer");
});

// @proves mcp.instance.validators-shared
test("equal schemas share one validator, however they were written", () => {
  const validators = createSharedValidators();
  expect(validators.validatorFor(schema)).toBe(validators.validatorFor(reordered));
  expect(validators.compiled).toBe(1);
});

// @proves mcp.instance.dialects-accepted
test.each([
  "https://json-schema.org/draft/2020-12/schema",
  "https://json-schema.org/draft/2019-09/schema",
  "http://json-schema.org/draft-07/schema#",
  "http://json-schema.org/draft-06/schema",
])("the dialect %s is understood", async ($schema) => {
  expect(await createSharedValidators().validatorFor({ ...schema, $schema })({ a: 1 })).toBeUndefined();
});

// @proves mcp.instance.dialects-refused mcp.instance.no-network-ref mcp.instance.schema-depth mcp.instance.schema-count
test.each<[string, JsonObject]>([
  ["a foreign dialect", { $schema: "http://json-schema.org/draft-04/schema#", type: "object" }],
  ["a reference to the network", { type: "object", properties: { a: { $ref: "https://evil.example/schema.json" } } }],
  ["too deep a nesting", nested(17)],
  [
    "too many parts",
    {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`p${n}`, { type: "string" }])),
    },
  ],
])("%s is refused before it is compiled", (_, refused) => {
  const validators = createSharedValidators();
  expect(() => validators.validatorFor(refused)).toThrow(expect.objectContaining({ code: "SCHEMA_REFUSED" }));
  expect(validators.compiled).toBe(0);
});

test("a schema within the bounds passes", () => {
  expect(() => createSharedValidators().validatorFor(nested(15))).not.toThrow();
});
