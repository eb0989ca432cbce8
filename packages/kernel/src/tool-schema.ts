import * as z from "zod";
import { frozenCopy } from "./frozen-copy.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";

/** The fields that any MUTATE tool takes besides its own. */
export const IDEMPOTENCY_KEY: JsonObject = {
  type: "string",
  minLength: 1,
  maxLength: 128,
  description: "Your own name for this one action. A repeat with the same key never acts twice.",
};
export const APPROVAL: JsonObject = {
  type: "string",
  minLength: 1,
  maxLength: 128,
  description: "Id of the approval that an earlier answer asked for.",
};

interface InputSchemaOptions {
  readonly name: string;
  readonly input: z.ZodObject;
  readonly unknownKeys: "reject" | "ignore";
  readonly extras: Readonly<Record<string, JsonObject>>;
}

/** What a caller may send, as JSON Schema draft 2020-12. */
export function inputSchemaOf({ name, input, unknownKeys, extras }: InputSchemaOptions): JsonObject {
  const { properties, additionalProperties: _ours, ...rest } = rootObject(name, "input", convert(input, "input", tidy));
  const own = isJsonObject(properties) ? properties : {};
  const all = { ...own, ...Object.fromEntries(Object.entries(extras).filter(([key]) => !Object.hasOwn(own, key))) };
  return frozenCopy({
    ...rest,
    ...(Object.keys(all).length > 0 ? { properties: all } : {}),
    ...(unknownKeys === "reject" ? { additionalProperties: false } : {}),
  });
}

/** What an answer looks like. It stays open, because a receipt or a later field may be added beside the listed ones. */
export function outputSchemaOf(name: string, output: z.ZodType): JsonObject {
  const open = (json: z.core.JSONSchema.BaseSchema): void => {
    tidy(json);
    if (json.additionalProperties === false) delete json.additionalProperties;
  };
  const schema = convert(output, "output", open);
  const branches = ["anyOf", "oneOf", "allOf"].some((key) => key in schema);
  const root = rootObject(name, "output", branches && !("type" in schema) ? { type: "object", ...schema } : schema);
  return frozenCopy({ ...root, additionalProperties: true });
}

function convert(
  schema: z.ZodType,
  io: "input" | "output",
  change: (json: z.core.JSONSchema.BaseSchema) => void,
): JsonObject {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    override: ({ jsonSchema }) => change(jsonSchema),
  });
  return json as { readonly [key: string]: Json }; // JSON Schema made by zod holds nothing but JSON
}

/** Takes out bounds that say no more than "a number a computer can hold"; every reader pays for them. */
function tidy(json: z.core.JSONSchema.BaseSchema): void {
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
}

function rootObject(name: string, side: string, schema: JsonObject): JsonObject {
  if (schema["type"] === "object") return schema;
  throw new TypeError(`The ${side} of tool ${name} must be an object schema.`);
}
