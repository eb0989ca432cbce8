import { describe, expect, test } from "vitest";
import { connected } from "../testing/connected.ts";
import { createSubjectTools } from "./create-subject-tools.ts";
import { pathsOf, uriOf } from "./resource-uri.ts";
import { callerOf } from "./testing/call-tool.ts";
import { Fan, openFarm, packaged } from "./testing/farm.ts";

const viewer = callerOf("viewer");
const read = async (tools: ReturnType<typeof openFarm>["tools"], uri: string, caller = viewer) => {
  const content = await tools.resources.read(uri, caller);
  return content === undefined ? undefined : (JSON.parse(content.text) as Record<string, unknown>);
};

describe("steading://<path>", () => {
  test("a subject gives its values and where its children are", async () => {
    const { tools } = openFarm();
    expect(await read(tools, "steading:///barn/climate")).toMatchObject({
      path: "/barn/climate",
      $type: "ClimateUnit",
      temperature: { value: 14.2 },
      $children: { fan: { $type: "Fan", uri: "steading:///barn/climate/fan" } },
    });
  });

  test("a property gives what get_property gives", async () => {
    const { tools } = openFarm();
    expect(await read(tools, "steading:///barn/climate/temperature")).toMatchObject({
      path: "/barn/climate/temperature",
      value: 14.2,
      unit: "DegreeCelsius",
    });
  });

  test("nothing there, a secret, and what a token does not open are all undefined", async () => {
    const { tools } = openFarm();
    expect(await read(tools, "steading:///nope")).toBeUndefined();
    expect(await read(tools, "steading:///barn/climate/pin")).toBeUndefined();
    expect(await read(tools, "http://barn")).toBeUndefined();
    expect(await read(tools, "steading:///barn", callerOf("admin", { pathPrefixes: ["/heating"] }))).toBeUndefined();
    expect(await read(tools, "steading:///%zz")).toBeUndefined();
  });

  test("awkward names survive the way through a URI, which holds no space", async () => {
    const { tools, root } = openFarm();
    for (const key of ["ümlaut und Leerzeichen", "a/b", "100%", "x[1]", "__proto__"]) {
      root.$children("more").set(key, Fan.create({ speed: 1 }));
      const path = root.$children("more").get(key)?.$path ?? "";
      const uri = uriOf(path);
      expect(uri).toMatch(/^steading:\/\/[\u0021-\u007e]+$/);
      expect(await read(tools, uri)).toMatchObject({ $type: "Fan" });
    }
    expect(pathsOf("steading:///barn%2Fclimate")).toContain("/barn/climate");
    expect(await read(tools, "steading:///barn%2Fclimate")).toMatchObject({ path: "/barn/climate" });
  });

  test("the list shows subjects level by level and goes on after the last", () => {
    const { tools } = openFarm();
    const all = tools.resources.list(viewer, { limit: 100 }).map(({ uri }) => uri);
    expect(all).toEqual([
      "steading:///",
      "steading:///barn",
      "steading:///barn/climate",
      "steading:///barn/stalls[7]",
      "steading:///barn/climate/fan",
    ]);
    const first = tools.resources.list(viewer, { limit: 2 });
    const second = tools.resources.list(viewer, { limit: 100, after: first.at(-1)?.uri ?? "" });
    expect([...first, ...second].map(({ uri }) => uri)).toEqual(all);
  });

  test("a change is told for what was read, and for nothing else", async () => {
    const { tools, climate } = openFarm();
    const told: string[] = [];
    const cancel = tools.resources.onUpdated?.((uri) => told.push(uri));
    climate.target = 22;
    expect(told).toEqual([]);
    await read(tools, "steading:///barn/climate/target");
    await read(tools, "steading:///barn/climate");
    climate.target = 23;
    expect([...new Set(told)].toSorted()).toEqual(["steading:///barn/climate", "steading:///barn/climate/target"]);
    told.length = 0;
    climate.mode = "auto";
    expect(told).toEqual(["steading:///barn/climate"]);
    cancel?.();
    climate.mode = "off";
    expect(told).toHaveLength(1);
  });

  test("a quality that changes alone is told", async () => {
    const { graph, source } = await connected();
    const { resources } = createSubjectTools(graph, packaged);
    const told: string[] = [];
    resources.onUpdated?.((uri) => told.push(uri));
    await resources.read("steading:///m/valve/target", callerOf("viewer"));
    source.context?.write([{ path: "valve/target", value: 20, quality: "bad" }]);
    expect(told).toEqual(["steading:///m/valve/target"]);
  });

  test("a subject that goes is told once, and the list has changed", async () => {
    const { tools, barn } = openFarm();
    const told: string[] = [];
    let lists = 0;
    tools.resources.onUpdated?.((uri) => told.push(uri));
    tools.resources.onListChanged?.(() => lists++);
    await read(tools, "steading:///barn/climate");
    barn.climate = null;
    expect(told).toContain("steading:///barn/climate");
    expect(lists).toBeGreaterThan(0);
    expect(await read(tools, "steading:///barn/climate")).toBeUndefined();
  });
});
