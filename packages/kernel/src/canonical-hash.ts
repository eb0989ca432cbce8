import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import type { Json } from "./json.ts";

/**
 * SHA-256, in lower-case hex, over the RFC 8785 form: equal data gives equal hashes whatever its key order, in every
 * process. Throws on what has no such form (a lone surrogate, NaN).
 */
export function canonicalHash(json: Json): string {
  const text = canonicalize(json);
  if (text === undefined) throw new TypeError("Only JSON has a canonical form.");
  return createHash("sha256").update(text, "utf8").digest("hex");
}
