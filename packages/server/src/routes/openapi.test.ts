import * as z from "zod";
import { afterEach, expect, test } from "vitest";
import { createBarnPart } from "../testing/barn-part.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { describeRoutes } from "./openapi.ts";
import { createRouteSets } from "./route-sets.ts";

/** As much of it as is looked at piece by piece. */
const Description = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), z.looseObject({}))) });

const shells: TestShell[] = [];
afterEach(async () => {
  await Promise.all(shells.splice(0).map((shell) => shell.close()));
});

test("the description is made of the schemas that check the requests, and is there for everybody", async () => {
  const shell = await startShell({ parts: [createBarnPart()] });
  shells.push(shell);
  const answer = await fetch(`${shell.url}/openapi.json`);
  expect(answer.status).toBe(200);
  const description = Description.parse(await answer.json());
  expect(description).toMatchObject({
    openapi: "3.1.1",
    info: { title: "Barn", version: "1.0.0" },
    components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
  });
  expect(Object.keys(description.paths)).not.toContain("/health");
  expect(description.paths["/api/animals"]?.["get"]).toMatchObject({
    operationId: "getApiAnimals",
    summary: "All animals.",
    description: "Needs the role viewer.",
    tags: ["barn"],
    security: [{ bearer: [] }],
    parameters: [
      { name: "limit", in: "query", required: false, schema: { default: 5 } },
      { name: "tag", in: "query", required: false, schema: { type: "array", items: { type: "string" } } },
    ],
    responses: {
      "2XX": { content: { "application/json": { schema: { type: "array" } } } },
      "4XX": { content: { "application/json": { schema: { required: ["error", "message", "code"] } } } },
    },
  });
  expect(description.paths["/api/animals"]?.["post"]?.["requestBody"]).toMatchObject({
    required: true,
    content: { "application/json": { schema: { type: "object", required: ["name"] } } },
  });
  expect(description.paths["/api/animals/{id}"]?.["get"]?.["parameters"]).toMatchObject([
    { name: "id", in: "path", required: true },
  ]);
  expect(description.paths["/api/health"]?.["get"]?.["security"]).toEqual([]);
  expect((await fetch(`${shell.url}/openapi.json`, { method: "POST" })).status).toBe(405);
});

test("a schema that refers to itself keeps its references inside itself", () => {
  const Tree: z.ZodType = z.object({
    name: z.string(),
    get children() {
      return z.array(Tree);
    },
  });
  const [set] = createRouteSets([
    {
      name: "t",
      routes: [
        {
          method: "POST",
          path: "/t",
          role: "public",
          input: { body: z.object({ tree: Tree }) },
          handle: async () => ({}),
        },
      ],
    },
  ]);
  const described = JSON.stringify(set && describeRoutes(set));
  expect(described).toContain('"$id":"urn:steading:POST%3A%2Ft%3Abody"');
  expect(described).toContain('"$ref":"#/$defs/');
});
