import type { JsonObject } from "@steading/kernel";
import { passes } from "../define/check-value.ts";
import type { Facets } from "../define/facets.ts";
import type { PropertyInfo } from "../info/subject-info.ts";
import { subjectError } from "../subject-error.ts";
import { coerceValue } from "../tools/coerce-value.ts";
import { shapeOfProperty } from "../tools/property-shape.ts";

/** What an outsider wants to write, read with the property's type and held against its limits. Throws the first objection. */
export function outsideValue(property: PropertyInfo, given: unknown): unknown {
  const { valueType } = property;
  const limits = limitsOf(property);
  if (valueType?.kind === "schema" && given !== null) return throughSchema(property, given);
  const read = coerceValue(given, shapeOfProperty(property));
  if (!read.ok) {
    throw subjectError(read.code, `${property.name} expects ${read.why}.`, {
      details: { expected: expectation(property, limits), received: typeName(given) },
    });
  }
  if (typeof read.value === "number") checkRange(property, read.value, limits);
  return read.value;
}

function throughSchema(property: PropertyInfo, given: unknown): unknown {
  if (property.valueType?.kind !== "schema") return given;
  const { schema } = property.valueType;
  let result = passes(schema, given);
  // Clients send objects as text now and then; a schema that wants text has had its chance.
  if (result.issues !== undefined && typeof given === "string" && /^\s*[[{]/.test(given))
    result = passes(schema, parsed(given) ?? given);
  if (result.issues === undefined) return result.value;
  throw subjectError(
    "VALIDATION_FAILED",
    `${property.name} does not accept this value: ${result.issues.slice(0, 5).join("; ")}.`,
    {
      details: { expected: expectation(property, {}), received: typeName(given) },
    },
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Limits = Pick<Facets, "min" | "max" | "step">;

/** Live attributes go before what was declared: a device may tell its own range. */
function limitsOf(property: PropertyInfo): Limits {
  const live = (name: string, declared: number | undefined): number | undefined => {
    const value = property.attribute(name)?.value;
    return typeof value === "number" && Number.isFinite(value) ? value : declared;
  };
  const min = live("minimum", property.facets.min);
  const max = live("maximum", property.facets.max);
  const step = live("step", property.facets.step);
  return {
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(step === undefined ? {} : { step }),
  };
}

function checkRange(property: PropertyInfo, value: number, limits: Limits): void {
  const problem = rangeProblem(value, limits);
  if (problem === undefined) return;
  throw subjectError("OUT_OF_RANGE", `${property.name} ${problem}.`, {
    details: { expected: expectation(property, limits), received: value },
  });
}

/** Undefined when it fits. */
function rangeProblem(value: number, { min, max, step }: Limits): string | undefined {
  if (min !== undefined && value < min) return `must be at least ${min}`;
  if (max !== undefined && value > max) return `must be at most ${max}`;
  if (step === undefined || step <= 0) return undefined;
  const steps = (value - (min ?? 0)) / step;
  // Decimal steps are not exact in binary: 20.3 in steps of 0.1 comes out as 202.99999999999997.
  return Math.abs(steps - Math.round(steps)) <= 1e-9 * Math.max(1, Math.abs(steps))
    ? undefined
    : `goes in steps of ${step}`;
}

function expectation(property: PropertyInfo, { min, max, step }: Limits): JsonObject {
  const { unit, enum: members } = property.facets;
  return {
    type: property.type,
    ...(property.format === undefined ? {} : { format: property.format }),
    ...(members === undefined ? {} : { enum: members }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(step === undefined ? {} : { step }),
    ...(unit === undefined ? {} : { unit }),
  };
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
