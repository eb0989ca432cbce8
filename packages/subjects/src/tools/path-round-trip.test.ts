import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createManualClock, isJsonObject, silentLog, type Json } from "@steading/kernel";
import { c } from "../define/c.ts";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { createGraph } from "../graph/create-graph.ts";
import type { Subject } from "../instance/subject.ts";
import { createSubjectTools } from "./create-subject-tools.ts";
import { joinSteps } from "./breadth-first.ts";
import { at, callTool, errorOf } from "./testing/call-tool.ts";
import { openFarm, packaged } from "./testing/farm.ts";

const Knot = defineSubject("test.Knot", {
  props: { serial: p.integer(), note: p.string().writable() },
  children: { keyed: c.map(), listed: c.list(), inline: c.map(undefined, { inline: true }) },
});
type Knot = ReturnType<typeof Knot.create>;

/** Everything that a path must not stumble over. */
const awkward = fc.oneof(
  fc.constantFrom(
    "%",
    "/",
    "[",
    "]",
    "a/b",
    "%2F",
    "..",
    ".",
    "$id",
    "@unit",
    "x@y",
    "__proto__",
    "constructor",
    "toString",
    "0",
    "-1",
    "ä ö",
    "keyed",
    "serial",
    "\u0000",
    "\n",
    "😀",
    " ",
  ),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
);

interface Plan {
  readonly note: string;
  readonly keyed: Readonly<Record<string, Plan>>;
  readonly listed: readonly Plan[];
  readonly inline: Readonly<Record<string, Plan>>;
}
const plan = fc.memo((levels): fc.Arbitrary<Plan> => {
  const below = levels <= 1 ? fc.constant([]) : fc.array(fc.tuple(awkward, plan(levels - 1)), { maxLength: 2 });
  return fc.record({
    note: fc.string({ unit: "grapheme" }),
    keyed: below.map(Object.fromEntries<Plan>),
    listed: below.map((pairs) => pairs.map(([, one]) => one)),
    inline: below.map(Object.fromEntries<Plan>),
  });
});

function grow({ note, keyed, listed, inline }: Plan, count: { n: number }): Knot {
  const map = (plans: Readonly<Record<string, Plan>>) =>
    new Map(Object.entries(plans).map(([key, one]) => [key, grow(one, count)]));
  return Knot.create({
    serial: count.n++,
    note,
    keyed: map(keyed),
    listed: listed.map((one) => grow(one, count)),
    inline: map(inline),
  });
}

/** Every subject in a nested answer with the path that its keys make. */
function* nodesOf(
  subjects: Json | undefined,
  base: string,
): Generator<{ path: string; serial: Json | undefined; note: Json | undefined }> {
  if (!isJsonObject(subjects)) return;
  for (const [key, node] of Object.entries(subjects)) {
    if (!isJsonObject(node) || node["$type"] === undefined) continue;
    const path = joinSteps(base, [key]);
    yield { path, serial: at(node, "serial", "value"), note: at(node, "note", "value") };
    yield* nodesOf(node, path);
  }
}

describe("paths and values over random graphs", () => {
  // One set of tools over ever new roots: making tools compiles schemas, which takes longer than the questions.
  let root: Subject = Knot.create();
  const tools = createSubjectTools(
    () => root,
    (config) => {
      packaged(config);
      config.limits = { maxDepth: 10, maxSubjects: 10_000, maxResponseChars: 10_000_000 };
    },
  );
  function plant(shape: Plan): number {
    const count = { n: 0 };
    root = grow(shape, count);
    createGraph({ clock: createManualClock(), log: silentLog, root });
    return count.n - 1;
  }

  // @proves subjects.paths.round-trip subjects.query.child-keys
  test("every path that query prints leads back to the same subject, in every tool", async () => {
    await fc.assert(
      fc.asyncProperty(plan(3), async (shape) => {
        const size = plant(shape);
        const whole = await callTool(tools, "query", { depth: 10, includeProperties: true });
        const nodes = [...nodesOf(whole["subjects"], "/")];
        const again: typeof nodes = [];
        for (const { path, note } of nodes) {
          const one = await callTool(tools, "query", { path, depth: 0 });
          const { value: serial } = await callTool(tools, "get_property", { path: `${path}/serial` });
          const { previousValue } = await callTool(tools, "set_property", { path: `${path}/note`, value: note });
          await callTool(tools, "list_methods", { path });
          again.push({ path: String(one["path"] as string), serial, note: previousValue });
        }
        expect(again).toEqual(nodes);
        expect(new Set(nodes.map(({ serial }) => serial)).size).toBe(size);
        const flat = await callTool(tools, "query", { depth: 10, filter: { types: ["test.Knot"] } });
        const flatPaths = Object.keys(flat["subjects"] as object).map((key) => joinSteps("/", [key]));
        expect(flatPaths.toSorted()).toEqual(nodes.map(({ path }) => path).toSorted());
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  // @proves subjects.query.cursor subjects.query.breadth-first
  test("pages put together are the whole tree, each subject once, whatever the limit", async () => {
    await fc.assert(
      fc.asyncProperty(plan(3), fc.integer({ min: 1, max: 7 }), async (shape, limit) => {
        const size = plant(shape);
        const seen: Json[] = [];
        let cursor: Json | undefined;
        do {
          const page = cursor === undefined ? {} : { cursor };
          const answer = await callTool(tools, "query", { depth: 10, limit, includeProperties: true, ...page });
          for (const { serial } of nodesOf(answer["subjects"], "/")) seen.push(serial ?? null);
          cursor = answer["cursor"];
        } while (cursor !== undefined);
        expect([seen.length, new Set(seen).size]).toEqual([size, size]);
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});

describe("paths in the tools", () => {
  // @proves subjects.paths.slashes subjects.paths.route-form subjects.paths.decode-any
  test.each(["barn/climate", "/barn//climate/", "//barn/climate", "/b%61rn/climate"])(
    "%s is /barn/climate",
    async (path) => {
      expect(await callTool(openFarm().tools, "query", { path, depth: 0 })).toMatchObject({ path: "/barn/climate" });
    },
  );
  test("an index or key as a step of its own is taken, and printed in brackets", async () => {
    expect(await callTool(openFarm().tools, "query", { path: "/barn/stalls/7", depth: 0 })).toMatchObject({
      path: "/barn/stalls[7]",
    });
  });

  // @proves subjects.paths.list-index
  test.each(["-1", "1.0", "x", "01", "5", "+0", "1e0"])("lamps[%s] is PATH_NOT_FOUND", async (index) => {
    const { tools, barn, climate } = openFarm();
    if (climate.fan !== null) barn.$children("lamps").insert(0, climate.fan);
    expect(await errorOf(callTool(tools, "query", { path: `/barn/lamps[${index}]` }))).toMatchObject({
      code: "PATH_NOT_FOUND",
    });
  });

  // @proves subjects.paths.dots-tools
  test.each(["/barn/../barn", "/./barn", "."])("%s is INVALID_PATH", async (path) => {
    expect(await errorOf(callTool(openFarm().tools, "query", { path }))).toMatchObject({ code: "INVALID_PATH" });
  });

  // @proves subjects.paths.bare-collection
  test("a bare collection starts a query, and is neither subject nor property", async () => {
    const { tools } = openFarm();
    const path = "/barn/stalls";
    expect(await callTool(tools, "query", { path })).toMatchObject({
      path,
      subjectCount: 1,
      subjects: { "[7]": { $type: "Stall" } },
    });
    expect(await errorOf(callTool(tools, "list_methods", { path }))).toMatchObject({ code: "NOT_A_SUBJECT" });
    expect(await errorOf(callTool(tools, "get_property", { path }))).toMatchObject({ code: "NOT_A_PROPERTY" });
  });

  // @proves subjects.paths.case subjects.paths.null-step
  test("case counts, near names are suggested, and an empty reference on the way is named", async () => {
    const { tools } = openFarm();
    expect(await errorOf(callTool(tools, "get_property", { path: "/Barn/name" }))).toMatchObject({
      code: "PATH_NOT_FOUND",
      suggestions: ["/barn"],
    });
    const error = await errorOf(callTool(tools, "get_property", { path: "/barn/climate/spare/speed" }));
    expect(error).toMatchObject({ code: "PATH_NOT_FOUND", missing: "spare" });
    expect(error.error).toContain("spare");
  });
});
