const DEEPEST = 16;
const MOST = 512;

const DIALECTS = [
  "https://json-schema.org/draft/2020-12/schema",
  "https://json-schema.org/draft/2019-09/schema",
  "http://json-schema.org/draft-07/schema",
  "http://json-schema.org/draft-06/schema",
];

/** A sentence when a schema from outside must not be compiled: a foreign dialect, a network reference, too deep, too large. */
export function schemaObjection(schema: unknown): string | undefined {
  const dialect = (schema as { readonly $schema?: unknown } | null)?.$schema;
  if (dialect !== undefined && (typeof dialect !== "string" || !DIALECTS.includes(dialect.replace(/#$/, "")))) {
    return `The schema dialect ${JSON.stringify(dialect)} is not known.`;
  }
  let seen = 0;
  function walk(value: unknown, depth: number): string | undefined {
    if (typeof value !== "object" || value === null) return undefined;
    if (depth > DEEPEST) return `The schema is nested deeper than ${DEEPEST}.`;
    if (!Array.isArray(value) && ++seen > MOST) return `The schema has more than ${MOST} sub-schemas.`;
    for (const [key, member] of Object.entries(value)) {
      if ((key === "$ref" || key === "$dynamicRef") && typeof member === "string" && !member.startsWith("#")) {
        return `The schema refers to ${JSON.stringify(member)}; only references inside it are followed.`;
      }
      const objection = walk(member, Array.isArray(value) ? depth : depth + 1);
      if (objection !== undefined) return objection;
    }
    return undefined;
  }
  return walk(schema, 0);
}
