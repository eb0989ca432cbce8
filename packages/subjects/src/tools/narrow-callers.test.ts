import { describe, expect, test } from "vitest";
import { createSubjectTools } from "./create-subject-tools.ts";
import { at, callerOf, callTool, errorOf } from "./testing/call-tool.ts";
import { openFarm, packaged } from "./testing/farm.ts";

const keysOf = (value: unknown): string[] => Object.keys(value as object);

describe("a token for a part of the graph", () => {
  const caller = callerOf("operator", { pathPrefixes: ["/barn/climate"] });

  // @proves subjects.access.token-scope
  test("sees its part, and what leads there without values", async () => {
    const { tools } = openFarm();
    const answer = await callTool(tools, "query", { depth: 10, includeProperties: true }, { caller });
    expect(keysOf(at(answer, "subjects"))).toEqual(["barn"]);
    expect(at(answer, "subject", "name")).toBeUndefined();
    expect(at(answer, "subjects", "barn", "name")).toBeUndefined();
    expect(at(answer, "subjects", "barn", "stalls[7]")).toBeUndefined();
    expect(at(answer, "subjects", "barn", "climate", "temperature", "value")).toBe(14.2);
    expect(at(answer, "subjects", "barn", "climate", "fan", "speed", "value")).toBe(40);
  });

  test("finds nothing else by type, text, browsing or resource, and cannot tell what is there from what is not", async () => {
    const { tools } = openFarm();
    const flat = await callTool(tools, "query", { depth: 10, filter: { types: ["Marker", "Motor"] } }, { caller });
    expect(keysOf(at(flat, "subjects"))).toEqual(["barn/climate/fan"]);
    const found = await callTool(tools.extras, "search", {}, { caller });
    expect(keysOf(at(found, "results"))).toEqual(["/", "/barn", "/barn/climate", "/barn/climate/fan"]);
    expect(await tools.resources.read("steading:///barn/stalls[7]", caller)).toBeUndefined();
    for (const path of ["/barn/stalls[7]/number", "/barn/name", "/barn/stalls[7]"])
      expect(await errorOf(callTool(tools, "get_property", { path }, { caller }))).toMatchObject({
        code: "ACCESS_DENIED",
      });
    const missing = await errorOf(callTool(tools, "get_property", { path: "/barn/stall" }, { caller }));
    expect(missing["suggestions"]).toEqual([]);
    expect(await errorOf(callTool(tools, "list_methods", { path: "/barn" }, { caller }))).toMatchObject({
      code: "ACCESS_DENIED",
    });
  });

  test("works inside its part", async () => {
    const { tools, climate } = openFarm();
    expect(
      await callTool(tools, "set_property", { path: "/barn/climate/target", value: 25 }, { caller }),
    ).toMatchObject({ success: true });
    expect(climate.target).toBe(25);
  });
});

describe("a site's own policy", () => {
  // @proves subjects.access.authorize-hook
  test("hides what may not be read from listings, and refuses it when asked for", async () => {
    const { tools } = openFarm((config) => {
      config.authorize = ({ action, target }) =>
        !(
          action === "read" &&
          ("facets" in target ? target.name === "target" : "type" in target && target.type === "farm.Fan")
        );
    });
    const answer = await callTool(tools, "query", { path: "/barn/climate", includeProperties: true });
    expect(answer).toMatchObject({ subjects: {}, subject: { $hasChildren: false, temperature: { value: 14.2 } } });
    expect(at(answer, "subject", "target")).toBeUndefined();
    expect(await errorOf(callTool(tools, "get_property", { path: "/barn/climate/target" }))).toMatchObject({
      code: "ACCESS_DENIED",
    });
    expect(await errorOf(callTool(tools, "query", { path: "/barn/climate/fan" }))).toMatchObject({
      code: "ACCESS_DENIED",
    });
  });

  test("may forbid a single method, which is then listed with the reason and does not run", async () => {
    const { tools, climate } = openFarm(
      (config) =>
        (config.authorize = ({ action, target }) =>
          !(action === "invoke" && "kind" in target && target.name === "calibrate")),
    );
    const call = { path: "/barn/climate", method: "calibrate", arguments: { temperature: 1 } };
    expect(await errorOf(callTool(tools, "invoke_method", call))).toMatchObject({ code: "ACCESS_DENIED" });
    expect(climate.temperature).toBe(14.2);
    expect(
      at(await callTool(tools, "query", { path: "/barn/climate", depth: 0 }), "subject", "$methods"),
    ).not.toContain("calibrate");
  });
});

describe("tools whose root is a subject further down", () => {
  test("begin there, in paths, references and errors, and cannot name what lies above or beside", async () => {
    const { climate, root } = openFarm();
    const tools = createSubjectTools(climate, packaged);
    expect(await callTool(tools, "query", { includeProperties: true })).toMatchObject({
      path: "/",
      subject: { $type: "ClimateUnit", temperature: { value: 14.2 } },
      subjects: { fan: { speed: { value: 40 } } },
      subjectCount: 1,
    });
    expect(await callTool(tools, "get_property", { path: "/fan/speed" })).toMatchObject({ value: 40 });
    expect(await callTool(tools, "set_property", { path: "/target", value: 25 })).toMatchObject({ success: true });
    expect(climate.target).toBe(25);
    expect(await errorOf(callTool(tools, "get_property", { path: "/barn/name" }))).toMatchObject({
      code: "PATH_NOT_FOUND",
      resolved: "/",
      missing: "barn",
    });
    const near = await errorOf(callTool(tools, "get_property", { path: "/Fan/speed" }));
    expect(near).toMatchObject({ resolved: "/", suggestions: ["/fan"] });
    expect(JSON.stringify(near)).not.toContain("/barn");
    expect(
      keysOf(at(await callTool(tools, "query", { depth: 10, filter: { types: ["Motor", "Marker"] } }), "subjects")),
    ).toEqual(["fan"]);
    root.$children("more").set("sameFan", climate.fan ?? climate);
    expect(keysOf(at(await callTool(tools, "query", { depth: 10, filter: { types: ["Motor"] } }), "subjects"))).toEqual(
      ["fan"],
    );
    expect(keysOf(at(await callTool(tools.extras, "search", {}), "results"))).toEqual(["/", "/fan"]);
  });

  test("say so while that subject is in no graph", async () => {
    const { climate, barn } = openFarm();
    const tools = createSubjectTools(climate, packaged);
    barn.climate = null;
    expect(await errorOf(callTool(tools, "query"))).toMatchObject({ code: "SOURCE_UNAVAILABLE" });
  });
});
