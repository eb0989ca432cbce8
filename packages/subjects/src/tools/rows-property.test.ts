import { describe, expect, test } from "vitest";
import { at, callerOf, callTool, errorOf } from "./testing/call-tool.ts";
import { openFarm } from "./testing/farm.ts";

const climate = "/barn/climate";

describe("get_property, row by row", () => {
  // @proves subjects.row.g1 subjects.get-property.shape
  test("G1: a number gives value, type and that it is writable", async () => {
    const { tools } = openFarm();
    expect(await callTool(tools, "get_property", { path: `${climate}/target` })).toMatchObject({
      value: 21.5,
      type: "number",
      isWritable: true,
      unit: "DegreeCelsius",
      min: 5,
      max: 30,
      step: 0.5,
    });
  });

  // @proves subjects.row.g2
  test("G2: on a read-only server isWritable is false", async () => {
    const { tools } = openFarm((config) => (config.access = "read"));
    expect(await callTool(tools, "get_property", { path: `${climate}/target` })).toMatchObject({ isWritable: false });
  });

  // @proves subjects.access.barred-view
  test("a viewer sees isWritable false", async () => {
    const { tools } = openFarm();
    expect(await callTool(tools, "get_property", { path: `${climate}/target` }, { as: "viewer" })).toMatchObject({
      isWritable: false,
    });
  });

  // @proves subjects.row.g3 subjects.get-property.attribute
  test("G3: a unit attribute is among the attributes and at the top; without attributes the field is absent", async () => {
    const { tools } = openFarm();
    expect(await callTool(tools, "get_property", { path: `${climate}/pressure` })).toMatchObject({
      unit: "Bar",
      attributes: { Unit: "Bar" },
    });
    expect(await callTool(tools, "get_property", { path: `${climate}/target` })).not.toHaveProperty("attributes");
    expect(await callTool(tools, "get_property", { path: `${climate}/pressure@Unit` })).toMatchObject({
      value: "Bar",
      type: "string",
    });
  });

  // @proves subjects.row.g4 subjects.error.not-a-property
  test("G4: a subject is NOT_A_PROPERTY and the sentence names query; so are a collection, a method and an empty reference", async () => {
    const { tools } = openFarm();
    const error = await errorOf(callTool(tools, "get_property", { path: climate }));
    expect(error.code).toBe("NOT_A_PROPERTY");
    expect(error.error).toContain("query");
    for (const path of ["/barn/stalls", `${climate}/fan`, `${climate}/calibrate`, `${climate}/spare`])
      expect(await errorOf(callTool(tools, "get_property", { path }))).toMatchObject({ code: "NOT_A_PROPERTY" });
  });

  // @proves subjects.row.g5
  test("G5: what outsiders may not write says so, and a write is refused", async () => {
    const { tools } = openFarm();
    expect(await callTool(tools, "get_property", { path: `${climate}/temperature` })).toMatchObject({
      isWritable: false,
    });
    expect(await errorOf(callTool(tools, "set_property", { path: `${climate}/temperature`, value: 3 }))).toMatchObject({
      code: "PROPERTY_NOT_WRITABLE",
    });
  });

  // @proves subjects.row.g6
  test("G6: null is null with quality unknown, NaN is null with quality bad", async () => {
    const { tools, climate: unit } = openFarm();
    expect(await callTool(tools, "get_property", { path: `${climate}/offset` })).toMatchObject({
      value: null,
      quality: "unknown",
    });
    unit.$set("pressure", NaN);
    expect(await callTool(tools, "get_property", { path: `${climate}/pressure` })).toMatchObject({
      value: null,
      quality: "bad",
    });
  });

  // @proves subjects.enrichers.property-fields subjects.enrichers.order
  test("fields of property providers show here and in query, later ones winning, never over value, type or isWritable", async () => {
    const { tools } = openFarm((config) =>
      config
        .addMetadataProvider({ property: () => ({ note: "first", value: 99, isWritable: true }) })
        .addMetadataProvider({ property: () => ({ note: "second" }) }),
    );
    const read = await callTool(tools, "get_property", { path: `${climate}/temperature` });
    expect(read).toMatchObject({ note: "second", value: 14.2, isWritable: false });
    const listed = await callTool(tools, "query", { path: climate, depth: 0, includeProperties: true });
    expect(at(listed, "subject", "temperature", "note")).toBe("second");
  });

  // @proves subjects.facets.secret-hidden
  test("a secret is found by no tool", async () => {
    const { tools } = openFarm();
    expect(await errorOf(callTool(tools, "get_property", { path: `${climate}/pin` }))).toMatchObject({
      code: "PATH_NOT_FOUND",
    });
    const listed = await callTool(tools, "query", { depth: 10, includeProperties: true, includeAttributes: true });
    expect(JSON.stringify(listed)).not.toContain("4711");
  });
});

describe("set_property, row by row", () => {
  // @proves subjects.row.s1 subjects.set-property.answer
  test("S1: 25 over 21.5 succeeds, tells the previous value, and the model holds it", async () => {
    const { tools, climate: unit } = openFarm();
    expect(await callTool(tools, "set_property", { path: `${climate}/target`, value: 25.0 })).toEqual({
      success: true,
      previousValue: 21.5,
      value: 25,
      status: "applied",
    });
    expect(unit.target).toBe(25);
  });

  // @proves subjects.row.s2 subjects.error.server-read-only subjects.access.read-mode subjects.design.refusal-names-setting
  test("S2: a read-only server refuses everybody, unknown paths included, and names the setting", async () => {
    const { tools, climate: unit } = openFarm((config) => (config.access = "read"));
    for (const path of [`${climate}/target`, "/no/such/thing"]) {
      const error = await errorOf(callTool(tools, "set_property", { path, value: 25 }, { as: "admin" }));
      expect(error.code).toBe("SERVER_READ_ONLY");
      expect(error.error).toContain("access");
    }
    expect(unit.target).toBe(21.5);
  });

  // @proves subjects.row.s3
  test("S3: an unknown path and a subject are refused", async () => {
    const { tools } = openFarm();
    expect(await errorOf(callTool(tools, "set_property", { path: "/nope", value: 1 }))).toMatchObject({
      code: "PATH_NOT_FOUND",
    });
    expect(await errorOf(callTool(tools, "set_property", { path: climate, value: 1 }))).toMatchObject({
      code: "NOT_A_PROPERTY",
    });
  });

  // @proves subjects.row.s4
  test("S4: the text true goes to a boolean, text to a text property", async () => {
    const { tools, climate: unit } = openFarm();
    expect(await callTool(tools, "set_property", { path: `${climate}/active`, value: "true" })).toMatchObject({
      previousValue: false,
      value: true,
    });
    expect(await callTool(tools, "set_property", { path: `${climate}/name`, value: "true" })).toMatchObject({
      previousValue: "North wall",
      value: "true",
    });
    expect([unit.active, unit.name]).toEqual([true, "true"]);
  });

  // @proves subjects.row.s5
  test("S5: the same value again succeeds without a change", async () => {
    const { tools, graph } = openFarm();
    let changes = 0;
    graph.onChange(() => changes++);
    expect(await callTool(tools, "set_property", { path: `${climate}/target`, value: 21.5 })).toMatchObject({
      success: true,
      previousValue: 21.5,
      value: 21.5,
    });
    expect(changes).toBe(0);
  });

  // @proves subjects.row.s6 subjects.set-property.round-trip
  test("S6: enum names, dates and uuids are accepted, as get_property gave them", async () => {
    const { tools } = openFarm();
    for (const name of ["mode", "since", "serial", "target", "active", "name", "offset"]) {
      const { value } = await callTool(tools, "get_property", { path: `${climate}/${name}` });
      expect(await callTool(tools, "set_property", { path: `${climate}/${name}`, value })).toMatchObject({
        success: true,
        value,
      });
    }
    expect(await callTool(tools, "set_property", { path: `${climate}/mode`, value: "AUTO" })).toMatchObject({
      value: "auto",
    });
  });

  // @proves subjects.row.s7 subjects.error.null-not-allowed subjects.error.out-of-range
  test("S7: null, 31 with max 30, and 20.3 with step 0.5", async () => {
    const { tools, climate: unit } = openFarm();
    const path = `${climate}/target`;
    expect(await errorOf(callTool(tools, "set_property", { path, value: null }))).toMatchObject({
      code: "NULL_NOT_ALLOWED",
    });
    for (const value of [31, 4, 20.3])
      expect(await errorOf(callTool(tools, "set_property", { path, value }))).toMatchObject({
        code: "OUT_OF_RANGE",
        expected: { type: "number", min: 5, max: 30, step: 0.5, unit: "DegreeCelsius" },
        received: value,
      });
    expect(unit.target).toBe(21.5);
  });

  // @proves subjects.row.s8 subjects.error.property-not-writable
  test("S8: a derived property, a secret, a method name", async () => {
    const { tools } = openFarm();
    expect(await errorOf(callTool(tools, "set_property", { path: `${climate}/delta`, value: 1 }))).toMatchObject({
      code: "PROPERTY_NOT_WRITABLE",
    });
    expect(await errorOf(callTool(tools, "set_property", { path: `${climate}/pin`, value: "1" }))).toMatchObject({
      code: "PATH_NOT_FOUND",
    });
    expect(await errorOf(callTool(tools, "set_property", { path: `${climate}/calibrate`, value: 1 }))).toMatchObject({
      code: "NOT_A_PROPERTY",
    });
  });

  // @proves subjects.error.type-mismatch
  test("a value of the wrong type is TYPE_MISMATCH with what was expected and received", async () => {
    const { tools } = openFarm();
    expect(await errorOf(callTool(tools, "set_property", { path: `${climate}/target`, value: "warm" }))).toMatchObject({
      code: "TYPE_MISMATCH",
      expected: { type: "number" },
      received: "string",
    });
    expect(await errorOf(callTool(tools, "set_property", { path: `${climate}/mode`, value: "warm" }))).toMatchObject({
      code: "TYPE_MISMATCH",
      expected: { enum: ["off", "heat", "auto"] },
    });
  });

  // @proves subjects.error.access-denied subjects.access.roles subjects.access.token-scope
  test("a viewer, a token narrowed to viewer, and a token for another part are ACCESS_DENIED", async () => {
    const { tools, climate: unit } = openFarm();
    const write = { path: `${climate}/target`, value: 25 };
    const narrow = callerOf("admin", { role: "viewer" });
    const elsewhere = callerOf("admin", { pathPrefixes: ["/heating"] });
    expect(await errorOf(callTool(tools, "set_property", write, { as: "viewer" }))).toMatchObject({
      code: "ACCESS_DENIED",
    });
    expect(await errorOf(callTool(tools, "set_property", write, { caller: narrow }))).toMatchObject({
      code: "ACCESS_DENIED",
    });
    expect(await errorOf(callTool(tools, "set_property", write, { caller: elsewhere }))).toMatchObject({
      code: "ACCESS_DENIED",
    });
    expect(unit.target).toBe(21.5);
  });

  // @proves subjects.access.authorize-hook subjects.access.config-admin
  test("the policy hook sees caller, action and target, can only narrow, and its refusal is ACCESS_DENIED", async () => {
    const seen: string[] = [];
    const { tools } = openFarm((config) => {
      config.authorize = ({ caller, action, target }) => {
        if ("facets" in target) seen.push(`${caller.role} ${action} ${target.name}`);
        return action !== "write" || caller.role === "admin";
      };
    });
    const write = { path: `${climate}/target`, value: 25 };
    expect(await errorOf(callTool(tools, "set_property", write))).toMatchObject({ code: "ACCESS_DENIED" });
    expect(await callTool(tools, "set_property", write, { as: "admin" })).toMatchObject({ success: true });
    expect(await errorOf(callTool(tools, "set_property", write, { as: "viewer" }))).toMatchObject({
      code: "ACCESS_DENIED",
    });
    expect(seen).toContain("operator write target");
    expect(await callTool(tools, "get_property", { path: write.path })).toMatchObject({ isWritable: false });
  });

  // @proves subjects.set-property.check-order
  test("with several faults the first of mode, role, path, kind, writable, coercion, null, range is told", async () => {
    const readOnly = openFarm((config) => (config.access = "read")).tools;
    const { tools } = openFarm();
    const code = async (toolset: typeof tools, path: string, value: unknown, as: "viewer" | "operator" = "operator") =>
      (await errorOf(callTool(toolset, "set_property", { path, value }, { as }))).code;
    expect(await code(readOnly, "/nope", "x", "viewer")).toBe("SERVER_READ_ONLY");
    expect(await code(tools, "/nope", "x", "viewer")).toBe("ACCESS_DENIED");
    expect(await code(tools, "/nope", "x")).toBe("PATH_NOT_FOUND");
    expect(await code(tools, climate, "x")).toBe("NOT_A_PROPERTY");
    expect(await code(tools, `${climate}/temperature`, "x")).toBe("PROPERTY_NOT_WRITABLE");
    expect(await code(tools, `${climate}/target`, "x")).toBe("TYPE_MISMATCH");
    expect(await code(tools, `${climate}/target`, null)).toBe("NULL_NOT_ALLOWED");
    expect(await code(tools, `${climate}/target`, 99)).toBe("OUT_OF_RANGE");
  });

  // @proves subjects.journal.writes
  test("every write is handed to the journal with time, caller, path, old, new and outcome", async () => {
    const records: unknown[] = [];
    const { tools } = openFarm((config) => (config.journal = (record) => records.push(record)));
    await callTool(tools, "set_property", { path: `${climate}/target`, value: 25 });
    await errorOf(callTool(tools, "set_property", { path: `${climate}/target`, value: 99 }));
    expect(records).toEqual([
      {
        at: expect.any(Number),
        caller: callerOf("operator"),
        action: "write",
        path: `${climate}/target`,
        old: 21.5,
        new: 25,
        outcome: "applied",
      },
      {
        at: expect.any(Number),
        caller: callerOf("operator"),
        action: "write",
        path: `${climate}/target`,
        old: 25,
        new: 99,
        outcome: "OUT_OF_RANGE",
      },
    ]);
  });

  // @proves subjects.design.await-spellings
  test("await and confirm take device and nothing else; a bare confirm: true is refused", async () => {
    const { tools } = openFarm();
    const path = `${climate}/target`;
    expect(await callTool(tools, "set_property", { path, value: 20, await: "device" })).toMatchObject({
      success: true,
    });
    expect(await callTool(tools, "set_property", { path, value: 21, confirm: "device" })).toMatchObject({
      success: true,
    });
    expect(await errorOf(callTool(tools, "set_property", { path, value: 22, confirm: true }))).toMatchObject({
      code: "INVALID_ARGUMENTS",
    });
  });
});
