import { createManualClock, silentLog } from "@steading/kernel";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { c } from "../define/c.ts";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { createGraph } from "../graph/create-graph.ts";
import { all } from "../paths/path-providers.ts";
import { createSubjectTools } from "./create-subject-tools.ts";
import { at, callTool, errorOf } from "./testing/call-tool.ts";
import { Fan, openFarm } from "./testing/farm.ts";

describe("bad input", () => {
  // @proves subjects.error.invalid-path
  test.each(["/barn/%zz", "/barn/%", "/a[", "/a]b", "/./x", "/../x", "/barn/.."])(
    "the path %j is INVALID_PATH or not found, never INTERNAL",
    async (path) => {
      const { tools } = openFarm();
      for (const call of [
        callTool(tools, "query", { path }),
        callTool(tools, "get_property", { path }),
        callTool(tools, "set_property", { path, value: 1 }),
        callTool(tools, "list_methods", { path }),
        callTool(tools, "invoke_method", { path, method: "x" }),
      ])
        expect(["INVALID_PATH", "PATH_NOT_FOUND"]).toContain((await errorOf(call)).code);
    },
  );

  // @proves subjects.error.invalid-path
  test.each(["/barn/%zz", "/../x", "/./x"])("the path %j is INVALID_PATH", async (path) => {
    expect(await errorOf(callTool(openFarm().tools, "get_property", { path }))).toMatchObject({ code: "INVALID_PATH" });
  });

  test("no path, however strange, ends in INTERNAL", async () => {
    const { tools } = openFarm();
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom("", "/", "/barn/", "/barn/stalls["),
        async (text, start) => {
          try {
            await callTool(tools, "get_property", { path: start + text });
          } catch (error) {
            expect(error).toMatchObject({
              code: expect.stringMatching(/^(INVALID_PATH|PATH_NOT_FOUND|NOT_A_PROPERTY)$/),
            });
          }
        },
      ),
    );
  });

  test("a path of 5 MB is refused unread", async () => {
    expect(await errorOf(callTool(openFarm().tools, "query", { path: "/a".repeat(2_500_000) }))).toMatchObject({
      code: "INVALID_PATH",
    });
  });

  test("a step of 500 000 characters is not found, and the answer stays small", async () => {
    const error = await errorOf(callTool(openFarm().tools, "get_property", { path: `/barn/${"x".repeat(500_000)}` }));
    expect(error.code).toBe("PATH_NOT_FOUND");
    expect(JSON.stringify(error).length).toBeLessThan(5_000);
  });

  test("a value of 5 MB is refused, and the answer stays small", async () => {
    const { tools, climate } = openFarm();
    const error = await errorOf(
      callTool(tools, "set_property", { path: "/barn/climate/name", value: "x".repeat(5_000_000) }),
    );
    expect(error.code).toBe("VALIDATION_FAILED");
    expect(JSON.stringify(error).length).toBeLessThan(1_000);
    expect(climate.name).toBe("North wall");
  });

  test("a value of 5 MB that is there is shown within its bounds, and its shortened form cannot be written back", async () => {
    const { tools, climate } = openFarm();
    climate.name = "x".repeat(5_000_000);
    const listed = await callTool(tools, "query", { path: "/barn", includeProperties: true });
    expect(at(listed, "subjects", "climate", "name", "length")).toBe(5_000_000);
    expect(JSON.stringify(listed).length).toBeLessThan(10_000);
    const read = await callTool(tools, "get_property", { path: "/barn/climate/name" });
    expect(read).toMatchObject({ length: 5_000_000 });
    expect(
      await errorOf(callTool(tools, "set_property", { path: "/barn/climate/name", value: read["value"] })),
    ).toMatchObject({ code: "VALIDATION_FAILED" });
  });

  test("keys and names out of the prototype are ordinary", async () => {
    const { tools, root } = openFarm();
    for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty"])
      root.$children("more").set(key, Fan.create({ speed: 7 }));
    for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty"])
      expect(await callTool(tools, "get_property", { path: `/${key}/speed` })).toMatchObject({ value: 7 });
    for (const path of ["/barn/__proto__", "/barn/constructor", "/barn/toString"])
      expect(await errorOf(callTool(tools, "get_property", { path }))).toMatchObject({ code: "PATH_NOT_FOUND" });
    expect(
      await errorOf(callTool(tools, "invoke_method", { path: "/barn/climate", method: "constructor" })),
    ).toMatchObject({ code: "METHOD_NOT_FOUND" });
    const args: unknown = JSON.parse(
      '{"path":"/barn/climate","method":"calibrate","arguments":{"temperature":1,"__proto__":{"a":1}}}',
    );
    expect(await errorOf(callTool(tools, "invoke_method", args))).toMatchObject({ code: "INVALID_ARGUMENTS" });
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });

  test("a chain of 10 000 subjects is read, queried and searched without recursion", async () => {
    const Link = defineSubject("test.Link", { props: { v: p.integer() }, children: { n: c.one() } });
    let next: ReturnType<typeof Link.create> | null = null;
    for (let v = 10_000; v > 0; v--) next = Link.create({ v, n: next });
    const root = Link.create({ v: 0, n: next });
    createGraph({ clock: createManualClock(), log: silentLog, root });
    const tools = createSubjectTools(root, (config) => (config.pathProvider = all()));
    const deep = "/n".repeat(10_000);
    expect(await callTool(tools, "get_property", { path: `${deep}/v` })).toMatchObject({ value: 10_000 });
    expect(await callTool(tools, "query", { depth: 99 })).toMatchObject({
      subjectCount: 10,
      depth: 10,
      truncated: false,
    });
    expect(await callTool(tools, "query", { path: deep })).toMatchObject({ path: deep, subjectCount: 0 });
    expect(await callTool(tools, "query", { depth: 10, filter: { types: ["test.Link"] } })).toMatchObject({
      subjectCount: 10,
    });
    expect(await callTool(tools.extras, "search", { query: "n", maxSubjects: 5 })).toMatchObject({
      subjectCount: 5,
      truncated: true,
    });
    expect(await callTool(tools.extras, "search", { query: "nowhere" })).toMatchObject({
      subjectCount: 0,
      truncated: false,
    });
  });

  test("throwing getters, titles and policies spoil their own value and nothing else", async () => {
    const Trap = defineSubject("test.Trap", {
      props: { fine: p.number() },
      derived: {
        broken: (): number => {
          throw new Error("inside");
        },
      },
      title: () => {
        throw new Error("no title");
      },
    });
    const root = Trap.create({ fine: 1 });
    createGraph({ clock: createManualClock(), log: silentLog, root });
    const tools = createSubjectTools(root, (config) => {
      config.pathProvider = all();
      config.authorize = ({ action }) => {
        if (action === "write") throw new Error("policy");
        return true;
      };
    });
    const answer = await callTool(tools, "query", { depth: 0, includeProperties: true });
    expect(answer["subject"]).toMatchObject({ fine: { value: 1, isWritable: false }, broken: { value: null } });
    expect(at(answer, "subject", "broken", "quality")).toBeDefined();
    expect(await errorOf(callTool(tools, "set_property", { path: "/fine", value: 1 }))).toMatchObject({
      code: "ACCESS_DENIED",
    });
  });
});
