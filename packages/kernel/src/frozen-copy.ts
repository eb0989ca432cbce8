import type { Json } from "./json.ts";

/**
 * A copy that nobody can change, with exactly what JSON keeps of the original. Whoever stores it need not trust its
 * caller, and may hand the same object out again and again.
 */
export function frozenCopy<T extends Json>(value: T): T {
  // Parsing (not spreading) keeps a member called `__proto__` an ordinary member.
  return deepFreeze(JSON.parse(JSON.stringify(value)) as T); // what was stringified from a T parses to a T
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const each of Object.values(value)) deepFreeze(each);
  return Object.freeze(value);
}
