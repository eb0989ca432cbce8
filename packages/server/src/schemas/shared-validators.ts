import { fromJsonSchema, type JsonSchemaType } from "@modelcontextprotocol/server";
import { canonicalHash, type JsonObject } from "@steading/kernel";
import { shellError } from "../shell-errors.ts";
import { schemaObjection } from "./schema-bounds.ts";

/** The problems of a value in one line; undefined when it fits. */
export type Validate = (value: unknown) => Promise<string | undefined>;

/** Compiling takes a millisecond a schema, so it happens at the first call and once for equal schemas. */
export interface SharedValidators {
  /** Throws SCHEMA_REFUSED for a schema that must not be compiled. */
  validatorFor(schema: JsonObject): Validate;
  readonly compiled: number;
}

const KEPT = 2_000;

export function createSharedValidators(): SharedValidators {
  const byText = new Map<string, Validate>();
  const bySchema = new WeakMap<object, Validate>();

  function compile(schema: JsonObject): Validate {
    const objection = schemaObjection(schema);
    if (objection !== undefined) throw shellError("SCHEMA_REFUSED", objection);
    const standard = fromJsonSchema(schema as JsonSchemaType)["~standard"];
    return async (value) => {
      const { issues } = await standard.validate(value);
      return issues === undefined ? undefined : issues.map(({ message }) => message).join("; ");
    };
  }

  return {
    validatorFor(schema) {
      const known = bySchema.get(schema);
      if (known !== undefined) return known;
      const text = canonicalHash(schema);
      const shared = byText.get(text) ?? compile(schema);
      if (byText.size >= KEPT) byText.clear();
      byText.set(text, shared);
      bySchema.set(schema, shared);
      return shared;
    },
    get compiled() {
      return byText.size;
    },
  };
}
