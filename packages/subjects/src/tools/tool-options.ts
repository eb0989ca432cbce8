import * as z from "zod";

// Some hosts send every option as text. The published schema names the real type; only the reading is lenient.
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

function booleanFromText(given: unknown): unknown {
  if (typeof given !== "string") return given;
  const key = given.trim().toLowerCase();
  return Object.hasOwn(BOOLEANS, key) ? BOOLEANS[key] : given;
}

function integerFromText(given: unknown): unknown {
  return typeof given === "string" && /^[+-]?\d{1,16}$/.test(given.trim()) ? Number(given) : given;
}

export function objectFromText(given: unknown): unknown {
  if (typeof given !== "string" || !/^\s*\{/.test(given)) return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

export const flag = (description: string) =>
  z.preprocess(booleanFromText, z.boolean()).optional().meta({ description });

export const count = (description: string, least = 0) =>
  z.preprocess(integerFromText, z.int().min(least)).optional().meta({ description });

export const names = (description: string) => z.array(z.string().max(1_000)).max(100).optional().meta({ description });

/** Any JSON. The types are named one by one: common clients send arguments of untyped parameters as strings. */
export const anyJson = (description: string) =>
  z.unknown().meta({ type: ["number", "string", "boolean", "object", "array", "null"], description });

export const pathInput = (description: string) => z.string().meta({ description });
