import { describe, expect, test } from "vitest";
import { createManualClock, type Log } from "@steading/kernel";
import { c } from "../define/c.ts";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { createGraph } from "../graph/create-graph.ts";
import { silentLog } from "@steading/kernel";
import { createSubjectTools } from "./create-subject-tools.ts";
import { at, callTool, errorOf } from "./testing/call-tool.ts";
import { Barn, Fan, Farm, openFarm, packaged, Stall } from "./testing/farm.ts";

describe("query, row by row", () => {
  // @proves subjects.row.q1 subjects.query.seed-shape subjects.query.count
  test("Q1: depth 1 with properties shows the child and counts it", async () => {
    const { tools } = openFarm();
    const answer = await callTool(tools, "query", { path: "/barn/climate", depth: 1, includeProperties: true });
    expect(at(answer, "subjects", "fan", "speed", "value")).toBe(40);
    expect(answer).toMatchObject({ path: "/barn/climate", subjectCount: 1, truncated: false });
  });

  // @proves subjects.row.q2 subjects.query.descendants-only
  test("Q2: depth 0 shows the start alone, with its own properties", async () => {
    const { tools } = openFarm();
    const answer = await callTool(tools, "query", { path: "/barn/climate", depth: 0, includeProperties: true });
    expect(answer).toMatchObject({
      subjects: {},
      subjectCount: 0,
      truncated: false,
      subject: { $hasChildren: true, temperature: { value: 14.2 } },
    });
  });

  // @proves subjects.row.q3 subjects.query.property-entry
  test("Q3: values are there only when asked for", async () => {
    const { tools } = openFarm();
    const without = await callTool(tools, "query", { path: "/barn", depth: 2 });
    expect(at(without, "subjects", "climate", "temperature")).toBeUndefined();
    const withThem = await callTool(tools, "query", { path: "/barn", depth: 2, includeProperties: true });
    expect(at(withThem, "subjects", "climate", "temperature")).toEqual({
      value: 14.2,
      type: "number",
      isWritable: false,
      unit: "DegreeCelsius",
    });
  });

  // @proves subjects.row.q4
  test("Q4: a field from a provider is in every node", async () => {
    const { tools } = openFarm((config) => config.addMetadataProvider({ subject: () => ({ $test: 1 }) }));
    const answer = await callTool(tools, "query", { depth: 10 });
    expect(at(answer, "subject", "$test")).toBe(1);
    expect(at(answer, "subjects", "barn", "$test")).toBe(1);
    expect(at(answer, "subjects", "barn", "climate", "fan", "$test")).toBe(1);
  });

  // @proves subjects.row.q5 subjects.enrichers.throwing
  test("Q5: a provider that throws loses its own fields, is logged once, and the call succeeds", async () => {
    const complaints: string[] = [];
    const log: Log = { ...silentLog, error: (message) => complaints.push(message) };
    const { tools } = openFarm((config) => {
      config.addMetadataProvider({
        subject() {
          throw new Error("broken");
        },
      });
      config.addMetadataProvider({ subject: () => ({ $fine: true }) });
    }, log);
    const answer = await callTool(tools, "query", { depth: 10 });
    expect(at(answer, "subjects", "barn", "$fine")).toBe(true);
    expect(at(answer, "subjects", "barn", "$type")).toBe("Barn");
    expect(complaints).toHaveLength(1);
  });

  // @proves subjects.row.q6
  test("Q6: at most 0 subjects and one child is truncated with count 0", async () => {
    const { tools } = openFarm((config) => (config.limits.maxSubjects = 0));
    expect(await callTool(tools, "query")).toMatchObject({ subjects: {}, subjectCount: 0, truncated: true });
  });

  // @proves subjects.row.q7 subjects.query.cursor
  test("Q7: three map children with limit 1 give one and a cursor to the other two", async () => {
    const { tools, barn } = openFarm();
    barn.stalls = new Map(["a", "b", "c"].map((key) => [key, Stall.create({ number: 1, feed: "hay" })]));
    const ask = { path: "/barn/stalls", limit: 1 };
    const first = await callTool(tools, "query", ask);
    expect(Object.keys(at(first, "subjects") as object)).toEqual(["[a]"]);
    expect(first).toMatchObject({ subjectCount: 1, truncated: true, omitted: 2 });
    const second = await callTool(tools, "query", { ...ask, limit: 10, cursor: first["cursor"] });
    expect(Object.keys(at(second, "subjects") as object)).toEqual(["[b]", "[c]"]);
    expect(second).toMatchObject({ truncated: false });
    expect(second).not.toHaveProperty("cursor");
  });

  // @proves subjects.query.cursor
  test("a cursor survives changes elsewhere and is refused with another question", async () => {
    const { tools, barn, climate } = openFarm();
    barn.stalls = new Map(["a", "b", "c"].map((key) => [key, Stall.create({ number: 1, feed: "hay" })]));
    const first = await callTool(tools, "query", { path: "/barn/stalls", limit: 2 });
    climate.target = 25;
    barn.$children("stalls").set("d", Stall.create({ number: 4, feed: "none" }));
    const second = await callTool(tools, "query", { path: "/barn/stalls", cursor: first["cursor"] });
    expect(Object.keys(at(second, "subjects") as object)).toEqual(["[c]", "[d]"]);
    expect(await errorOf(callTool(tools, "query", { path: "/barn", cursor: first["cursor"] }))).toMatchObject({
      code: "INVALID_ARGUMENTS",
    });
  });

  // @proves subjects.row.q8
  test("Q8: exactly as many children as the limit is not truncated", async () => {
    const { tools, barn } = openFarm();
    barn.stalls = new Map(["a", "b"].map((key) => [key, Stall.create({ number: 1, feed: "hay" })]));
    expect(await callTool(tools, "query", { path: "/barn/stalls", limit: 2 })).toMatchObject({
      subjectCount: 2,
      truncated: false,
    });
  });

  // @proves subjects.query.include-flags
  test("Q9: methods and interfaces are there by default and absent when not wanted; the title is always there", async () => {
    const { tools } = openFarm();
    const byDefault = at(await callTool(tools, "query", { path: "/barn" }), "subjects", "climate");
    expect(byDefault).toMatchObject({ $title: "North wall", $interfaces: ["steading.sensors.TemperatureSensor"] });
    expect(at(byDefault, "$methods")).toContain("calibrate");
    const without = at(
      await callTool(tools, "query", { path: "/barn", includeMethods: false, includeInterfaces: false }),
      "subjects",
      "climate",
    );
    expect(without).not.toHaveProperty("$methods");
    expect(without).not.toHaveProperty("$interfaces");
    expect(without).toMatchObject({ $title: "North wall" });
  });

  // @proves subjects.row.q10
  test.each(["farm.ClimateUnit", "ClimateUnit"])(
    "Q10: excluding %s takes the subtree out of nested answers and itself out of flat ones",
    async (name) => {
      const { tools } = openFarm();
      const nested = await callTool(tools, "query", { path: "/barn", depth: 10, filter: { excludeTypes: [name] } });
      expect(Object.keys(at(nested, "subjects") as object)).toEqual(["stalls[7]"]);
      const flat = await callTool(tools, "query", {
        path: "/barn",
        depth: 10,
        filter: { types: ["TemperatureSensor", "Motor"], excludeTypes: [name] },
      });
      expect(Object.keys(at(flat, "subjects") as object)).toEqual(["climate/fan"]);
    },
  );

  // @proves subjects.row.q11 subjects.error.path-not-found
  test("Q11: an unknown start is PATH_NOT_FOUND with suggestions", async () => {
    const { tools } = openFarm();
    expect(await errorOf(callTool(tools, "query", { path: "/barn/Climate/fan" }))).toMatchObject({
      code: "PATH_NOT_FOUND",
      resolved: "/barn",
      missing: "Climate",
      suggestions: expect.arrayContaining(["/barn/climate"]),
    });
  });

  // @proves subjects.row.q12
  test("Q12: a start below the root, also through two maps, gives its values", async () => {
    const { tools, root } = openFarm();
    const inner = Barn.create({ name: "Old barn", stalls: { a: Stall.create({ number: 3, feed: "hay" }) } });
    root.$children("more").set("old", inner);
    const answer = await callTool(tools, "query", { path: "/old/stalls[a]", depth: 0, includeProperties: true });
    expect(answer).toMatchObject({ path: "/old/stalls[a]", subject: { $type: "Stall", number: { value: 3 } } });
  });

  // @proves subjects.row.q13 subjects.query.has-children
  test("Q13: empty maps and null references are not emitted, and nothing else means no children", async () => {
    const { tools, root } = openFarm();
    root.$children("more").set("empty", Barn.create({ name: "Empty" }));
    const answer = await callTool(tools, "query", { path: "/empty" });
    expect(answer).toMatchObject({ subjects: {}, subjectCount: 0, subject: { $hasChildren: false } });
  });

  // @proves subjects.row.q14
  test.each(["/", "", "//", undefined])("Q14: the root asked for as %j is /", async (path) => {
    const { tools } = openFarm();
    expect(await callTool(tools, "query", path === undefined ? {} : { path })).toMatchObject({
      path: "/",
      subject: { $type: "Farm", $fullType: "farm.Farm" },
    });
  });

  // @proves subjects.row.q15 subjects.limits.depth subjects.wire.lenient-options
  test("Q15: depth 99 becomes 10, -1 and 2.5 are refused, the text 2 counts as 2", async () => {
    const { tools } = openFarm();
    expect(await callTool(tools, "query", { depth: 99 })).toMatchObject({ depth: 10 });
    for (const depth of [-1, 2.5])
      expect(await errorOf(callTool(tools, "query", { depth }))).toMatchObject({ code: "INVALID_ARGUMENTS" });
    const asText = await callTool(tools, "query", { depth: "2", includeProperties: "true" });
    expect(at(asText, "subjects", "barn", "climate", "temperature", "value")).toBe(14.2);
    expect(at(asText, "subjects", "barn", "climate", "fan")).toBeUndefined();
  });

  // @proves subjects.row.q16
  test("Q16: a shared child is there once in full and once as a reference", async () => {
    const { tools, root, climate } = openFarm();
    const fan = climate.fan;
    if (fan === null) throw new Error("expected a fan");
    root.$children("more").set("sameFan", fan);
    const answer = await callTool(tools, "query", { depth: 10 });
    expect(at(answer, "subjects", "sameFan")).toMatchObject({ $type: "Fan", $hasChildren: false });
    expect(at(answer, "subjects", "barn", "climate", "fan")).toEqual({ $ref: "/sameFan", $type: "Fan" });
    expect(answer["subjectCount"]).toBe(4);
  });

  // @proves subjects.row.q17
  test("Q17: a child that links back to the root shows a reference to it", async () => {
    const { tools, root, barn } = openFarm();
    barn.$children("more").set("home", root);
    expect(at(await callTool(tools, "query", { depth: 10 }), "subjects", "barn", "home")).toEqual({
      $ref: "/",
      $type: "Farm",
    });
  });

  // @proves subjects.row.q18 subjects.limits.subjects
  test("Q18: of 100 000 children the first 100 come, with a cursor", async () => {
    const { tools, barn } = openFarm();
    barn.stalls = new Map(
      Array.from({ length: 100_000 }, (_, i) => [`s${i}`, Stall.create({ number: i, feed: "hay" })]),
    );
    const answer = await callTool(tools, "query", { path: "/barn/stalls", depth: 1 });
    expect(answer).toMatchObject({ subjectCount: 100, truncated: true });
    expect(Object.keys(at(answer, "subjects") as object).slice(0, 2)).toEqual(["[s0]", "[s1]"]);
    const next = await callTool(tools, "query", { path: "/barn/stalls", depth: 1, cursor: answer["cursor"] });
    expect(Object.keys(at(next, "subjects") as object)[0]).toBe("[s100]");
  });

  // @proves subjects.row.q19
  test("Q19: a filter that matches only deeper is empty and says what to do", async () => {
    const { tools } = openFarm();
    const answer = await callTool(tools, "query", { filter: { types: ["steading.sensors.TemperatureSensor"] } });
    expect(answer).toMatchObject({ subjects: {}, subjectCount: 0, truncated: false });
    expect(answer["hint"]).toContain("depth: 10");
  });

  // @proves subjects.row.q20
  test("Q20: a type nobody knows is refused with near names", async () => {
    const { tools } = openFarm();
    expect(await errorOf(callTool(tools, "query", { filter: { types: ["TemperaturSensor"] } }))).toMatchObject({
      code: "INVALID_ARGUMENTS",
      suggestions: ["steading.sensors.TemperatureSensor"],
    });
  });

  // @proves subjects.query.filter-flat subjects.query.filter-or
  test("a filtered answer is flat, keyed by path, and ancestors that do not match hide nothing", async () => {
    const { tools } = openFarm();
    const answer = await callTool(tools, "query", {
      depth: 10,
      filter: { types: ["farm.drives.Motor", "TemperatureSensor"] },
    });
    expect(Object.keys(at(answer, "subjects") as object)).toEqual(["barn/climate", "barn/climate/fan"]);
    expect(answer).toMatchObject({ subjectCount: 2, truncated: false });
  });

  // @proves subjects.query.breadth-first
  test("a big subtree does not eat the budget of its siblings", async () => {
    const { tools, root, barn } = openFarm();
    barn.stalls = new Map(Array.from({ length: 200 }, (_, i) => [`s${i}`, Stall.create({ number: i, feed: "hay" })]));
    root.$children("more").set("pump", Fan.create({ speed: 1 }));
    const answer = await callTool(tools, "query", { depth: 5, limit: 10 });
    expect(Object.keys(at(answer, "subjects") as object)).toEqual(["barn", "pump"]);
    expect(answer).toMatchObject({ subjectCount: 10, truncated: true });
  });

  // @proves subjects.limits.size
  test("the size budget cuts and says so, and the cursor gets everything in the end", async () => {
    const { tools, barn } = openFarm((config) => (config.limits.maxResponseChars = 3_000));
    const keys = Array.from({ length: 40 }, (_, i) => `s${i}`);
    barn.stalls = new Map(keys.map((key, i) => [key, Stall.create({ number: i, feed: "hay" })]));
    const seen: string[] = [];
    let cursor: unknown;
    do {
      const answer = await callTool(tools, "query", {
        path: "/barn/stalls",
        includeProperties: true,
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect(JSON.stringify(answer).length).toBeLessThanOrEqual(3_000);
      if (answer["truncated"] === true) expect(answer["truncatedBy"]).toBe("size");
      seen.push(...Object.keys(at(answer, "subjects") as object));
      cursor = answer["cursor"];
    } while (cursor !== undefined);
    expect(seen).toEqual(keys.map((key) => `[${key}]`));
  });

  test("a subject larger than the whole budget is shown without the properties that do not fit", async () => {
    const Wide = defineSubject("test.Wide", {
      props: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, p.string()])),
    });
    const Top = defineSubject("test.Top", { children: { wide: c.one(() => Wide), fan: c.one(() => Fan) } });
    const root = Top.create({
      wide: Wide.create(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, "x".repeat(200)]))),
      fan: Fan.create({ speed: 1 }),
    });
    createGraph({ clock: createManualClock(), log: silentLog, root });
    const tools = createSubjectTools(root, (config) => {
      packaged(config);
      config.limits.maxResponseChars = 5_000;
    });
    const first = await callTool(tools, "query", { includeProperties: true });
    expect(at(first, "subjects", "wide", "$omittedProperties")).toBeGreaterThan(50);
    expect(JSON.stringify(first).length).toBeLessThanOrEqual(5_000);
    const second = await callTool(tools, "query", { includeProperties: true, cursor: first["cursor"] });
    expect(at(second, "subjects", "fan", "$type")).toBe("Fan");
  });

  // @proves subjects.query.child-keys
  test("start path and key always make a path that leads back to the same subject", async () => {
    const { tools, root } = openFarm();
    for (const key of [
      "Setup.md",
      "a/b",
      "x[1]",
      "100%",
      "..",
      "$odd",
      "__proto__",
      "constructor",
      "toString",
      "ümlaut and space",
    ])
      root.$children("more").set(key, Fan.create({ speed: 1 }));
    const answer = await callTool(tools, "query", { depth: 1 });
    const keys = Object.keys(at(answer, "subjects") as object);
    expect(keys).toHaveLength(11);
    for (const key of keys) {
      const one = await callTool(tools, "query", { path: `/${key}`, depth: 0 });
      expect(at(one, "subject", "$type")).toBe(key === "barn" ? "Barn" : "Fan");
      expect(one["path"]).toBe(`/${key}`);
    }
  });

  // @proves subjects.row.r1 subjects.layers.root-function
  test("R1: a replaced root is seen by the next call", async () => {
    let root = openFarm().root;
    const tools = createSubjectTools(() => root, packaged);
    expect(at(await callTool(tools, "query", { includeProperties: true }), "subject", "name", "value")).toBe(
      "Hill farm",
    );
    root = Farm.create({ name: "Valley farm" });
    createGraph({ clock: createManualClock(), log: silentLog, root });
    expect(at(await callTool(tools, "query", { includeProperties: true }), "subject", "name", "value")).toBe(
      "Valley farm",
    );
  });

  // @proves subjects.error.not-a-subject
  test("a property is no start", async () => {
    const { tools } = openFarm();
    expect(await errorOf(callTool(tools, "query", { path: "/barn/name" }))).toMatchObject({ code: "NOT_A_SUBJECT" });
  });
});
