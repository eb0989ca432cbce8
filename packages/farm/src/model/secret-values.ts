import { isJsonObject, type Json } from "@steading/kernel";

const SECRET = /token|password|secret|api_?key/i;
const CONFIGURED = "***configured***";

/** Whether a setting, or anything inside it, must not be shown. */
export function holdsSecret(key: string, value: Json): boolean {
  return JSON.stringify(masked(key, value)) !== JSON.stringify(value);
}

/** Secrets inside objects are masked as well: a setting may hold a whole configuration. */
export function masked(key: string, value: Json): Json {
  if (value === null || value === "" || typeof value === "boolean") return value;
  if (SECRET.test(key)) return CONFIGURED;
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => masked(key, each));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, masked(name, each)]));
}
