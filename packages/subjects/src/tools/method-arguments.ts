import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import type { StandardSchema } from "../define/standard-schema.ts";
import type { MethodInfo } from "../info/subject-info.ts";
import { coerceValue, type ValueShape } from "./coerce-value.ts";
import { nearNames } from "./near-names.ts";
import { shapeOfSchema, typeNameOf } from "./schema-shape.ts";

/** One parameter as `list_methods` shows it. */
export interface ParameterInfo {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly [field: string]: Json;
}

export interface ArgumentProblem {
  readonly path: string;
  readonly message: string;
}

interface CompiledInput {
  readonly parameters: readonly ParameterInfo[];
  readonly shapes: ReadonlyMap<string, ValueShape>;
  /** Undefined: the schema cannot describe itself, so only its own validation can tell extra from known. */
  readonly known: ReadonlySet<string> | undefined;
}

const NOTHING: CompiledInput = { parameters: [], shapes: new Map(), known: new Set() };
const SHOWN_FIELDS = ["unit", "title", "description", "enum", "minimum", "maximum", "default", "format"] as const;

/** Schemas live as long as the definitions they belong to; so does what we make of them. */
const compiledInputs = new WeakMap<StandardSchema, CompiledInput>();

function compiled(schema: StandardSchema | undefined): CompiledInput {
  if (schema === undefined) return NOTHING;
  const made = compiledInputs.get(schema) ?? compile(schema);
  compiledInputs.set(schema, made);
  return made;
}

function compile(schema: StandardSchema): CompiledInput {
  const json = jsonSchemaOf(schema, "input");
  if (json === undefined) return { parameters: [], shapes: new Map(), known: undefined };
  const properties = isJsonObject(json["properties"]) ? json["properties"] : {};
  const required = Array.isArray(json["required"]) ? json["required"] : [];
  const isOpen = json["additionalProperties"] !== undefined && json["additionalProperties"] !== false;
  const entries = Object.entries(properties);
  return {
    parameters: entries.map(([name, one]) => ({
      name,
      type: typeNameOf(one),
      required: required.includes(name),
      ...shownFields(one),
    })),
    shapes: new Map(entries.map(([name, one]) => [name, shapeOfSchema(one)])),
    known: isOpen ? undefined : new Set(entries.map(([name]) => name)),
  };
}

function shownFields(schema: Json): JsonObject {
  if (!isJsonObject(schema)) return {};
  return Object.fromEntries(
    SHOWN_FIELDS.flatMap((field) => (schema[field] === undefined ? [] : [[field, schema[field]]])),
  );
}

/** The schema in its own words, from any library that can say them; undefined from one that cannot. */
function jsonSchemaOf(schema: StandardSchema, side: "input" | "output"): JsonObject | undefined {
  try {
    const made: unknown = schema["~standard"].jsonSchema?.[side]({ target: "draft-2020-12" });
    return isJsonObject(made) ? made : undefined;
  } catch {
    return undefined; // a type without a JSON form, such as a date object
  }
}

export function parametersOf({ input, units }: Pick<MethodInfo, "input" | "units">): readonly ParameterInfo[] {
  const { parameters } = compiled(input);
  if (units === undefined) return parameters;
  return parameters.map((one) => (Object.hasOwn(units, one.name) ? { ...one, unit: units[one.name] ?? "" } : one));
}

export function returnTypeOf(schema: StandardSchema | undefined): string | undefined {
  const json = schema === undefined ? undefined : jsonSchemaOf(schema, "output");
  return json === undefined ? undefined : typeNameOf(json);
}

/** Coerces and validates arguments; every problem is in the list, not only the first. */
export async function readArguments(
  schema: StandardSchema | undefined,
  given: JsonObject,
): Promise<{ values: object; problems: readonly ArgumentProblem[] }> {
  const { shapes, known, parameters } = compiled(schema);
  const problems: ArgumentProblem[] = [];
  const coerced: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    if (known !== undefined && !known.has(name)) {
      const [nearest] = nearNames(name, known);
      problems.push({
        path: name,
        message: `is no argument of this method${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`,
      });
      continue;
    }
    const read = coerceValue(value, shapes.get(name) ?? { kind: "unknown", nullable: true });
    if (read.ok) coerced.push([name, read.value]);
    else problems.push({ path: name, message: `must be ${read.why}` });
  }
  for (const { name, required } of parameters)
    if (required && !Object.hasOwn(given, name)) problems.push({ path: name, message: "is missing" });
  const values = Object.fromEntries(coerced);
  if (schema === undefined) return { values, problems };
  return withSchemaProblems(schema, values, problems);
}

async function withSchemaProblems(schema: StandardSchema, values: object, problems: readonly ArgumentProblem[]) {
  const checked = await schema["~standard"].validate(values);
  if (checked.issues === undefined) return { values: Object(checked.value) as object, problems }; // object schemas give objects
  const told = new Set(problems.map(({ path }) => path));
  const others = checked.issues.map(({ message, path = [] }) => ({ path: path.map(stepText).join("."), message }));
  return { values, problems: [...problems, ...others.filter(({ path }) => !told.has(path.split(".")[0] ?? ""))] };
}

function stepText(step: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof step === "object" ? step.key : step);
}
