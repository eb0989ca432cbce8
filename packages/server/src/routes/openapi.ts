import type { JsonObject, Json, Route } from "@steading/kernel";
import * as z from "zod";
import { parametersOf } from "./path-table.ts";
import type { RouteSet } from "./route-sets.ts";

/** Describes a set's routes in OpenAPI 3.1, from the schemas that check them. */
export function describeRoutes({ routes, http, part }: RouteSet): JsonObject {
  const { title = part, version = "0", description } = http.openapi ?? {};
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:([A-Za-z0-9_]+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route, part, http.errorSchema);
  }
  return {
    openapi: "3.1.1",
    info: { title, version, ...(description === undefined ? {} : { description }) },
    paths,
    components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
  };
}

function operation(route: Route, part: string, errorSchema: z.ZodType | undefined): JsonObject {
  const { method, path, role, summary, input, output } = route;
  const id = `${method}:${path}`;
  const error = errorSchema === undefined ? { type: "object" } : toSchema(errorSchema, "output", `${id}:error`);
  const failure = { content: { "application/json": { schema: error } } };
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string = "") => next.toUpperCase())}`,
    ...(summary === undefined ? {} : { summary }),
    tags: [part],
    // An empty list overrules: nothing is needed here.
    security: role === "public" ? [] : [{ bearer: [] }],
    ...(role === "public" ? {} : { description: `Needs the role ${role}.` }),
    parameters: [...pathParameters(route, id), ...queryParameters(input.query, id)],
    ...(input.body === undefined ? {} : { requestBody: requestBody(input.body, id) }),
    responses: {
      "2XX": {
        description: "Done.",
        ...(output === undefined
          ? {}
          : { content: { "application/json": { schema: toSchema(output, "output", `${id}:answer`) } } }),
      },
      "4XX": { description: "Refused.", ...failure },
      "5XX": { description: "It did not work.", ...failure },
    },
  };
}

function pathParameters({ path, input }: Route, id: string): JsonObject[] {
  const known = input.params === undefined ? {} : propertiesOf(toSchema(input.params, "input", `${id}:params`));
  return parametersOf(path).map((name) => ({
    name,
    in: "path",
    required: true,
    schema: known[name] ?? { type: "string" },
  }));
}

function queryParameters(query: z.ZodObject | undefined, id: string): JsonObject[] {
  if (query === undefined) return [];
  const schema = toSchema(query, "input", `${id}:query`);
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(propertiesOf(schema)).map(([name, each]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema: each,
  }));
}

function requestBody(body: z.ZodType, id: string): JsonObject {
  const content = { "application/json": { schema: toSchema(body, "input", `${id}:body`) } };
  return { required: !body.safeParse(undefined).success, content };
}

function propertiesOf(schema: JsonObject): JsonObject {
  const { properties } = schema;
  return typeof properties === "object" && properties !== null && !Array.isArray(properties)
    ? (properties as JsonObject) // neither a list nor null
    : {};
}

function toSchema(schema: z.ZodType, io: "input" | "output", id: string): JsonObject {
  // What JSON Schema cannot say (a transformation, a date) is described as anything rather than not at all.
  const text = JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: "any" }));
  const { $schema: _dialect, ...json } = JSON.parse(text) as JsonObject; // JSON Schema is an object
  // References inside it start at its own root only when it has a name of its own.
  const named = text.includes('"$ref"') ? { $id: `urn:steading:${encodeURIComponent(id)}` } : {};
  return { ...named, ...json };
}
