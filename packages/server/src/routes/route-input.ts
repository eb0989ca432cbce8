import { argumentProblems, invalidArguments, type JsonObject, type Route, type RouteArguments } from "@steading/kernel";
import type * as z from "zod";

/** Names of the three places, as they stand in sentences. */
const PLACES = { params: "The path", query: "The query", body: "The body" } as const;
const NO_SCHEMA: JsonObject = {};

/** Checks what a request brought against the route's schemas. Throws INVALID_ARGUMENTS that names every problem. */
export function checkInput({ input }: Route, given: RouteArguments): RouteArguments {
  return {
    params: check("params", input.params, given.params),
    query: check("query", input.query, given.query),
    body: check("body", input.body, given.body),
  };
}

/** Does this request make things safe? What would not pass the check does not. */
export function isUrgent(route: Route, given: RouteArguments): boolean {
  if (typeof route.urgent !== "function") return route.urgent === true;
  try {
    return route.urgent(checkInput(route, given));
  } catch {
    return false; // told when it is carried out
  }
}

/** What has no schema is not handed on: nobody has looked at it. */
function check(place: keyof typeof PLACES, schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidArguments(PLACES[place], argumentProblems(result.error.issues, value, NO_SCHEMA));
}
