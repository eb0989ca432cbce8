import { readFileSync } from "node:fs";
import { createDispatcher, KERNEL_ERRORS } from "@steading/kernel";
import { createTrialDoor, createTrialLog } from "@steading/kernel/testing";
import { describe, expect, test } from "vitest";
import { at, callerOf, errorOf, callTool } from "./testing/call-tool.ts";
import { openFarm } from "./testing/farm.ts";
import { SUBJECT_TOOL_ERRORS } from "./tool-errors.ts";

const toolNamed = (name: string) => {
  const found = openFarm().tools.tools.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

describe("the tools on the wire", () => {
  // @proves subjects.tools.names subjects.design.tool-names
  test("six tools, under exactly these names, all of them essential", () => {
    const { tools } = openFarm().tools;
    expect(tools.map(({ name }) => name)).toEqual([
      "get_property",
      "invoke_method",
      "list_methods",
      "list_types",
      "query",
      "set_property",
    ]);
    expect(tools.every(({ essential }) => essential)).toBe(true);
    expect(openFarm().tools.extras.tools.map(({ name }) => name)).toEqual([
      "browse",
      "search",
      "set_properties",
      "watch",
    ]);
  });

  // @proves subjects.wire.annotations
  test("annotations tell who reads, who may be repeated and who may destroy", () => {
    for (const name of ["query", "get_property", "list_types", "list_methods"])
      expect(toolNamed(name).annotations.readOnlyHint).toBe(true);
    expect(toolNamed("set_property").annotations).toMatchObject({ readOnlyHint: false, idempotentHint: true });
    expect(toolNamed("invoke_method").annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });

  // @proves subjects.wire.value-schema
  test("the schema of value names the six JSON types", () => {
    expect(at(toolNamed("set_property").inputSchema, "properties", "value", "type")).toEqual([
      "number",
      "string",
      "boolean",
      "object",
      "array",
      "null",
    ]);
  });

  test("options are published with their real types, although text is taken too", () => {
    const { properties } = toolNamed("query").inputSchema;
    expect(at(properties, "depth", "type")).toBe("integer");
    expect(at(properties, "includeProperties", "type")).toBe("boolean");
  });

  // @proves subjects.wire.open-output
  test("output schemas are open", () => {
    for (const tool of openFarm().tools.tools) expect(tool.outputSchema).toMatchObject({ type: "object" });
    for (const tool of openFarm().tools.tools) expect(at(tool.outputSchema, "additionalProperties")).not.toBe(false);
  });

  // @proves subjects.wire.unknown-field
  test("an unknown field is refused and the nearest one named", async () => {
    const { tools } = openFarm();
    const error = await errorOf(callTool(tools, "invoke_method", { path: "/", method: "x", parameters: {} }));
    expect(error.code).toBe("INVALID_ARGUMENTS");
    expect(error.error).toContain('did you mean "arguments"?');
    expect(await errorOf(callTool(tools, "query", { pth: "/" }))).toMatchObject({
      code: "INVALID_ARGUMENTS",
      error: expect.stringContaining("path"),
    });
    expect(await errorOf(callTool(tools, "query", { filter: { typs: [] } }))).toMatchObject({
      code: "INVALID_ARGUMENTS",
      error: expect.stringContaining("types"),
    });
    expect(await errorOf(callTool(tools, "get_property", {}))).toMatchObject({
      code: "INVALID_ARGUMENTS",
      error: expect.stringContaining("path"),
    });
    expect(await errorOf(callTool(tools, "set_property", { path: "/x" }))).toMatchObject({
      code: "INVALID_ARGUMENTS",
      error: expect.stringContaining("value"),
    });
  });

  // @proves subjects.wire.success subjects.wire.failure
  test("over the dispatcher, success is an object and its text the same JSON; failure is a sentence and a code", async () => {
    const trial = createTrialDoor();
    const dispatcher = createDispatcher({
      toolsets: [openFarm().tools],
      door: trial.door,
      clock: trial.clock,
      log: createTrialLog().log,
    });
    const good = await dispatcher.call({ tool: "query", arguments: {}, caller: callerOf("viewer") });
    if (good.kind !== "answer") throw new Error(JSON.stringify(good));
    expect(JSON.parse(good.text)).toEqual(good.structured);
    const bad = await dispatcher.call({
      tool: "get_property",
      arguments: { path: "/nope" },
      caller: callerOf("viewer"),
    });
    if (bad.kind !== "error") throw new Error("expected an error");
    expect(JSON.parse(bad.text)).toMatchObject({
      error: expect.stringMatching(/\.$/),
      code: "PATH_NOT_FOUND",
      resolved: "/",
      missing: "nope",
    });
  });

  test("every code of the contract is in the table and on the reference page, and no other", () => {
    const page = readFileSync(new URL("../../../../docs/reference/subjects-tools.md", import.meta.url), "utf8");
    const documented = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map((match) => match[1] ?? "");
    expect(documented.toSorted()).toEqual(Object.keys(SUBJECT_TOOL_ERRORS).toSorted());
    expect(Object.keys(SUBJECT_TOOL_ERRORS).toSorted()).toEqual([
      "ACCESS_DENIED",
      "CONFIRMATION_REQUIRED",
      "CONFLICT",
      "INTERNAL",
      "INVALID_ARGUMENTS",
      "INVALID_PATH",
      "METHOD_DISABLED",
      "METHOD_FAILED",
      "METHOD_NOT_FOUND",
      "NOT_A_PROPERTY",
      "NOT_A_SUBJECT",
      "NULL_NOT_ALLOWED",
      "OUT_OF_RANGE",
      "PATH_NOT_FOUND",
      "PROPERTY_NOT_WRITABLE",
      "SERVER_READ_ONLY",
      "SNAPSHOT_NOT_FOUND",
      "SOURCE_REJECTED",
      "SOURCE_UNAVAILABLE",
      "TIMEOUT",
      "TYPE_MISMATCH",
      "VALIDATION_FAILED",
    ]);
    expect(KERNEL_ERRORS.INVALID_ARGUMENTS).toBeDefined();
  });

  // @proves subjects.layers.core-pure
  test("the package stands on the kernel and a schema library, on no part and no transport", () => {
    const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(Object.keys((manifest as { dependencies: object }).dependencies)).toEqual(["@steading/kernel", "zod"]);
  });

  // @proves subjects.error.internal
  test("anything else is INTERNAL with a reference and no inner text", async () => {
    const { log, logged } = createTrialLog();
    const { tools } = openFarm((config) => {
      config.pathProvider = {
        includes() {
          throw new Error("the pin is 4711");
        },
        segment: () => null,
      };
    }, log);
    const error = await errorOf(callTool(tools, "get_property", { path: "/barn" }));
    expect(error).toMatchObject({ code: "INTERNAL", ref: expect.any(String) });
    expect(JSON.stringify(error)).not.toContain("4711");
    expect(logged.some(({ fields }) => fields?.["ref"] === error["ref"])).toBe(true);
  });
});
