import { createDispatcher, millis, seconds } from "@steading/kernel";
import { createTrialDoor, createTrialLog } from "@steading/kernel/testing";
import { describe, expect, test } from "vitest";
import { graphOf } from "../graph/graph-of.ts";
import type { HistoryQuestion } from "./history-port.ts";
import { connected } from "../testing/connected.ts";
import { createSubjectTools } from "./create-subject-tools.ts";
import { at, callerOf, callTool, errorOf } from "./testing/call-tool.ts";
import { Fan, openFarm, packaged, Stall } from "./testing/farm.ts";

const keysOf = (value: unknown): string[] => Object.keys(value as object);

describe("browse", () => {
  // @proves subjects.extras.browse
  test("nodes tell value, object, collection and dictionary; beyond the depth collections are counts", async () => {
    const { tools, barn } = openFarm();
    barn.$children("lamps").insert(0, Fan.create({ speed: 1 }));
    const answer = await callTool(tools.extras, "browse", { path: "/barn", depth: 1, includeProperties: true });
    expect(answer).toMatchObject({
      subjectCount: 3,
      truncated: false,
      result: {
        $path: "/barn",
        $type: "Barn",
        properties: {
          name: { kind: "value", value: "Cow barn", type: "string", isWritable: false },
          climate: {
            kind: "object",
            child: {
              $path: "/barn/climate",
              $type: "ClimateUnit",
              properties: { fan: { kind: "object", isCollapsed: true, count: 1, itemType: "Fan" } },
            },
          },
          stalls: { kind: "dictionary", children: { "7": { $path: "/barn/stalls[7]" } } },
          lamps: { kind: "collection", children: [{ $path: "/barn/lamps[0]" }] },
        },
      },
    });
    const collapsed = await callTool(tools.extras, "browse", { path: "/barn", depth: 0 });
    expect(at(collapsed, "result", "properties")).toEqual({
      climate: { kind: "object", isCollapsed: true, count: 1, itemType: "ClimateUnit" },
      stalls: { kind: "dictionary", isCollapsed: true, count: 1, itemType: "Stall" },
      lamps: { kind: "collection", isCollapsed: true, count: 1, itemType: "Fan" },
    });
  });

  // @proves subjects.row.q9
  test("Q9: methods and interfaces only when asked for, in browse and in search", async () => {
    const { tools } = openFarm();
    const without = await callTool(tools.extras, "browse", { path: "/barn/climate" });
    expect(keysOf(without["result"])).not.toContain("methods");
    expect(at(without, "result", "$title")).toBe("North wall");
    const withThem = await callTool(tools.extras, "search", {
      path: "/barn/climate",
      includeMethods: true,
      includeInterfaces: true,
    });
    expect(at(withThem, "results", "/barn/climate", "methods")).toContain("calibrate");
    expect(at(withThem, "results", "/barn/climate", "interfaces")).toEqual(["steading.sensors.TemperatureSensor"]);
  });

  test("the text block is compact text, or JSON when asked; the structured answer is the same", async () => {
    const trial = createTrialDoor();
    const dispatcher = createDispatcher({
      toolsets: [openFarm().tools.extras],
      door: trial.door,
      clock: trial.clock,
      log: createTrialLog().log,
    });
    const call = async (args: object) => {
      const result = await dispatcher.call({ tool: "browse", arguments: args, caller: callerOf("viewer") });
      if (result.kind !== "answer") throw new Error(JSON.stringify(result));
      return result;
    };
    const asText = await call({ path: "/barn/climate", includeProperties: true });
    expect(asText.text).toContain('/barn/climate [farm.ClimateUnit] $title="North wall" $icon=thermostat');
    expect(asText.text).toContain("\n  temperature: 14.2 | number, unit DegreeCelsius");
    expect(asText.text).toMatch(/\[1 subject\]$/);
    const asJson = await call({ path: "/barn/climate", includeProperties: true, format: "json" });
    expect(JSON.parse(asJson.text)).toEqual(asJson.structured);
    expect(asJson.structured).toEqual(asText.structured);
  });
});

describe("search", () => {
  // @proves subjects.extras.search-scope
  test("text is looked for in paths and titles, whatever the case, and not in types or property names", async () => {
    const { tools } = openFarm();
    const found = async (query: string) => keysOf((await callTool(tools.extras, "search", { query }))["results"]);
    expect(await found("CLIMATE")).toEqual(["/barn/climate", "/barn/climate/fan"]);
    expect(await found("north WALL")).toEqual(["/barn/climate"]);
    expect(await found("ClimateUnit")).toEqual([]);
    expect(await found("temperature")).toEqual([]);
  });

  // @proves subjects.extras.search-whole-steps
  test("below a path means whole steps", async () => {
    const { tools, root } = openFarm();
    root.$children("more").set("barn2", Fan.create({ speed: 1 }));
    expect(keysOf((await callTool(tools.extras, "search", { path: "/barn" }))["results"])).toEqual([
      "/barn",
      "/barn/climate",
      "/barn/stalls[7]",
      "/barn/climate/fan",
    ]);
  });

  test("types narrow, excluded types go, and the limit says when it cut", async () => {
    const { tools } = openFarm();
    expect(
      keysOf(
        (await callTool(tools.extras, "search", { types: ["Motor", "Marker"], excludeTypes: ["Fan"] }))["results"],
      ),
    ).toEqual(["/barn/stalls[7]"]);
    expect(await callTool(tools.extras, "search", { maxSubjects: 1 })).toMatchObject({
      subjectCount: 1,
      truncated: true,
    });
    expect(await callTool(tools.extras, "search", { maxSubjects: 0 })).toMatchObject({
      subjectCount: 0,
      truncated: true,
    });
  });

  // @proves subjects.design.agents-search
  test("subtrees that the server leaves out are found only when asked below them", async () => {
    const { tools, root } = openFarm((config) => config.searchExcludes.push("/agents"));
    root.$children("more").set("agents", Stall.create({ number: 1, feed: "hay" }));
    expect(keysOf((await callTool(tools.extras, "search", {}))["results"])).not.toContain("/agents");
    expect(keysOf((await callTool(tools.extras, "search", { path: "/agents" }))["results"])).toEqual(["/agents"]);
  });
});

describe("set_properties", () => {
  test("each write is checked as in set_property", async () => {
    const { tools } = openFarm();
    const write = (path: string, value: unknown) =>
      callTool(tools.extras, "set_properties", { writes: [{ path, value }] });
    expect(await errorOf(write("/barn/climate/temperature", 1))).toMatchObject({ code: "PROPERTY_NOT_WRITABLE" });
    expect(await errorOf(write("/nope", 1))).toMatchObject({ code: "PATH_NOT_FOUND" });
    const readOnly = openFarm((config) => (config.access = "read")).tools;
    expect(
      await errorOf(callTool(readOnly.extras, "set_properties", { writes: [{ path: "/nope", value: 1 }] })),
    ).toMatchObject({ code: "SERVER_READ_ONLY" });
  });
});

describe("watch", () => {
  test("tells the values of the very moment at which its condition held", async () => {
    const { tools, climate } = openFarm();
    const path = "/barn/climate/target";
    const waiting = callTool(tools.extras, "watch", { conditions: [{ path, test: "above", value: 25 }] });
    await new Promise((resolve) => setImmediate(resolve));
    climate.target = 26;
    climate.target = 20; // before anybody could have looked
    expect(await waiting).toMatchObject({ met: true, conditions: [{ path, met: true, value: 26 }] });
  });

  test("hears of a quality that changes alone", async () => {
    const { graph, source } = await connected();
    const tools = createSubjectTools(graph, packaged);
    const path = "/m/valve/target";
    const waiting = callTool(tools.extras, "watch", { conditions: [{ path }] });
    await new Promise((resolve) => setImmediate(resolve));
    source.context?.write([{ path: "valve/target", value: 20, quality: "stale" }]);
    expect(await waiting).toMatchObject({ met: true, conditions: [{ path, value: 20, quality: "stale" }] });
  });

  test("a condition that holds answers at once; one that comes true answers then", async () => {
    const { tools, climate } = openFarm();
    const path = "/barn/climate/target";
    expect(await callTool(tools.extras, "watch", { conditions: [{ path, test: "above", value: 20 }] })).toMatchObject({
      met: true,
      waitedMs: 0,
    });
    const waiting = callTool(tools.extras, "watch", { conditions: [{ path, test: "atLeast", value: "25" }] });
    climate.target = 24;
    climate.target = 25;
    expect(await waiting).toMatchObject({ met: true, conditions: [{ path, met: true, value: 25 }] });
  });

  test("the time being up is an answer, not an error", async () => {
    const trial = openFarm();
    const clock = graphOf(trial.root)?.clock as ReturnType<typeof createTrialDoor>["clock"];
    const waiting = callTool(trial.tools.extras, "watch", {
      conditions: [{ path: "/barn/climate/target" }],
      timeoutMs: 5_000,
    });
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(seconds(5));
    expect(await waiting).toMatchObject({ met: false, waitedMs: 5_000, conditions: [{ met: false, value: 21.5 }] });
  });

  test("all means all, and a caller who leaves ends it", async () => {
    const { tools, climate } = openFarm();
    const path = "/barn/climate";
    const conditions = [{ path: `${path}/target` }, { path: `${path}/mode`, test: "equals", value: "AUTO" }];
    const waiting = callTool(tools.extras, "watch", { conditions, mode: "all" });
    climate.target = 24;
    climate.mode = "auto";
    expect(await waiting).toMatchObject({ met: true });
    const leaving = new AbortController();
    const left = callTool(
      tools.extras,
      "watch",
      { conditions: [{ path: `${path}/target` }] },
      { signal: leaving.signal },
    );
    leaving.abort();
    expect(await left).toMatchObject({ met: false });
  });

  test("a condition that cannot be compared is refused", async () => {
    const { tools } = openFarm();
    const watch = (path: string, test: string, value: unknown) =>
      errorOf(callTool(tools.extras, "watch", { conditions: [{ path, test, value }] }));
    expect(await watch("/barn/climate/target", "above", "warm")).toMatchObject({ code: "INVALID_ARGUMENTS" });
    expect(await watch("/barn/climate/name", "above", "a")).toMatchObject({ code: "INVALID_ARGUMENTS" });
    expect(await watch("/barn/climate", "changes", undefined)).toMatchObject({ code: "NOT_A_PROPERTY" });
  });
});

describe("get_property_history", () => {
  const open = () => {
    const asked: HistoryQuestion[] = [];
    const { tools } = openFarm((config) => {
      config.history = {
        async read(question) {
          asked.push(question);
          return {
            points: [
              { at: Date.UTC(2026, 2, 1), value: 20.5 },
              { at: Date.UTC(2026, 2, 2), value: null, quality: "bad" },
            ],
            truncated: false,
          };
        },
      };
    });
    return { tools, asked };
  };
  const days = { from: "2026-03-01T00:00:00Z", to: "2026-03-03T00:00:00Z" };

  test("it is there only where a history is kept", () => {
    expect(openFarm().tools.extras.tools.map(({ name }) => name)).not.toContain("get_property_history");
    expect(open().tools.extras.tools.map(({ name }) => name)).toContain("get_property_history");
  });

  test("points come with ISO times, unit and quality", async () => {
    const { tools, asked } = open();
    expect(
      await callTool(tools.extras, "get_property_history", {
        path: "/barn/climate/temperature",
        ...days,
        buckets: "10",
      }),
    ).toEqual({
      path: "/barn/climate/temperature",
      aggregation: "mean",
      unit: "DegreeCelsius",
      points: [
        { at: "2026-03-01T00:00:00.000Z", value: 20.5 },
        { at: "2026-03-02T00:00:00.000Z", value: null, quality: "bad" },
      ],
      truncated: false,
    });
    expect(asked).toEqual([
      {
        path: "/barn/climate/temperature",
        from: Date.UTC(2026, 2, 1),
        to: Date.UTC(2026, 2, 3),
        aggregation: "mean",
        buckets: 10,
      },
    ]);
  });

  test.each([
    { from: "yesterday" },
    { from: days.to, to: days.from },
    { ...days, aggregation: "median" },
    { ...days, buckets: 0 },
  ])("%j is refused", async (times) => {
    expect(
      await errorOf(
        callTool(open().tools.extras, "get_property_history", { path: "/barn/climate/temperature", ...times }),
      ),
    ).toMatchObject({ code: "INVALID_ARGUMENTS" });
  });

  test("text has no mean", async () => {
    const ask = { path: "/barn/climate/name", ...days, aggregation: "mean" };
    expect(await errorOf(callTool(open().tools.extras, "get_property_history", ask))).toMatchObject({
      code: "INVALID_ARGUMENTS",
    });
  });
});

// @proves subjects.extras.optional subjects.seed.pull-only
test("the six tools answer without any extra, and wait for nothing", async () => {
  const { tools } = openFarm();
  expect(await callTool(tools, "query")).toMatchObject({ subjectCount: 1 });
  expect(millis(1)).toBe(1);
});
