import { argumentProblems, invalidArguments, type JsonObject, type Route } from "@steading/kernel";
import type * as z from "zod";

/** Names of the three places, as they stand in sentences. */
const PLACES = { params: "The path", query: "The query", body: "The body" } as const;
const NO_SCHEMA: JsonObject = {};

export interface CheckedInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Checks what a request brought against the route's schemas. Throws INVALID_ARGUMENTS that names every problem. */
export function checkInput({ input }: Route, given: CheckedInput): CheckedInput {
  return {
    params: check("params", input.params, given.params),
    query: check("query", input.query, given.query),
    body: check("body", input.body, given.body),
  };
}

/** What has no schema is not handed on: nobody has looked at it. */
function check(place: keyof typeof PLACES, schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidArguments(PLACES[place], argumentProblems(result.error.issues, value, NO_SCHEMA));
}
