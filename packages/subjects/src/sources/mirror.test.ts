import { millis } from "@steading/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import type { Change } from "../graph/change.ts";
import { openGraph, thing, type AnyThing } from "../testing/test-graph.ts";
import { applyListDiff, diffList } from "./list-diff.ts";
import { applyMirrorUpdate, toMirror, toMirrorUpdate } from "./mirror.ts";

// @proves subjects.mirror.flat subjects.mirror.snapshot
test("the whole graph is flat by id, cycles included, with items and counts and no list operations", () => {
  const { graph, root } = openGraph();
  const [a, b] = [thing("a"), thing("b")];
  a.link = b;
  b.link = a;
  root.list = [a, b];
  root.map = new Map([["__proto__", a]]);
  const mirror = toMirror(graph);
  expect([mirror.root, Object.keys(mirror.subjects).toSorted()]).toEqual([
    root.$id,
    [root.$id, a.$id, b.$id].toSorted(),
  ]);
  const own = mirror.subjects[root.$id];
  expect(own?.["list"]).toEqual({ kind: "list", count: 2, items: [a.$id, b.$id] });
  expect(Object.entries(own?.["map"] ?? {})).toContainEqual(["count", 1]);
  expect(mirror.subjects[a.$id]?.["link"]).toEqual({ kind: "one", id: b.$id });
  expect(mirror.subjects[b.$id]?.["name"]).toEqual({ kind: "value", value: "b" });
  expect(JSON.parse(JSON.stringify(mirror))).toEqual(mirror);
});

test("secrets never go out, and values without a JSON form say so", () => {
  const Odd = defineSubject("test.mirror.Odd", { props: { pin: p.string().config().secret(), n: p.number() } });
  const { graph, root } = openGraph();
  const odd = Odd.create({ pin: "1234", n: Number.NaN });
  root.link = odd;
  const mirror = toMirror(graph);
  expect(JSON.stringify(mirror)).not.toContain("1234");
  expect(mirror.subjects[odd.$id]).toEqual({
    $type: { kind: "value", value: "test.mirror.Odd" },
    n: { kind: "value", value: null, quality: "bad" },
  });
});

describe("list differences", () => {
  // @proves subjects.mirror.list-diff
  test("reproduce any list from any other, removes from the end, moves only where needed", () => {
    const ids = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f"), { maxLength: 8 });
    fc.assert(
      fc.property(ids, ids, (old, value) => {
        const diff = diffList(old, value);
        expect(applyListDiff(old, diff)).toEqual(value);
        const removes = diff.removes ?? [];
        expect(removes).toEqual(removes.toSorted((x, y) => y - x));
        expect(diff.count).toBe(value.length);
      }),
    );
    expect(diffList(["a", "b", "c", "d"], ["d", "a", "b", "c"])).toEqual({ count: 4, moves: [{ from: 3, to: 0 }] });
    expect(diffList(["a", "b", "c"], ["a", "x", "c"])).toEqual({ count: 3, updates: [{ index: 1, id: "x" }] });
    expect(diffList(["a", "b", "c"], ["a", "c"])).toEqual({ count: 2, removes: [1] });
    expect(diffList(["a"], ["a"])).toEqual({ count: 1 });
  });

  // @proves subjects.mirror.list-diff
  test("an index at or beyond the count is malformed", () => {
    const old = ["a", "b"];
    for (const diff of [
      { count: 2, updates: [{ index: 2, id: "x" }] },
      { count: 3, inserts: [{ index: 3, id: "x" }] },
      { count: 1, removes: [2] },
      { count: 2, moves: [{ from: 0, to: 2 }] },
      { count: 2, moves: [{ from: 5, to: 0 }] },
      { count: 5 },
      { count: 1 },
      {
        count: 2,
        removes: [0, 1],
        inserts: [
          { index: 0, id: "x" },
          { index: 0, id: "y" },
        ],
      },
    ])
      expect(() => applyListDiff(old, diff)).toThrow("malformed");
  });
});

// @proves subjects.mirror.list-diff subjects.mirror.flat
test("updates made from the change stream keep a mirror equal to the graph", async () => {
  const action = fc.record({
    at: fc.nat(6),
    to: fc.nat(6),
    what: fc.constantFrom("link", "unlink", "push", "shift", "reverse", "put", "drop", "value"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(action, { maxLength: 6 }), { maxLength: 5 }), async (rounds) => {
      const nodes = Array.from({ length: 7 }, (_, i) => thing(`n${i}`));
      const { graph, clock } = openGraph(nodes[0]);
      const stream = graph.changes();
      let mirror = toMirror(graph);
      for (const actions of rounds) {
        for (const { at, to, what } of actions) {
          const [node, child]: (AnyThing | undefined)[] = [nodes[at], nodes[to]];
          if (node === undefined || child === undefined) continue;
          if (what === "link") node.link = child;
          else if (what === "unlink") node.link = null;
          else if (what === "push") node.list = [...node.list, child];
          else if (what === "shift") node.list = node.list.slice(1);
          else if (what === "reverse") node.list = node.list.toReversed();
          else if (what === "put") node.$children("map").set(`k${to}`, child);
          else if (what === "drop") node.$children("map").delete(`k${to}`);
          else node.value = to;
        }
        const next = stream.pending > 0 ? stream.next() : undefined;
        await clock.advance(millis(8));
        const changes: readonly Change[] = next === undefined ? [] : ((await next).value as readonly Change[]);
        mirror = applyMirrorUpdate(mirror, toMirrorUpdate(graph, changes, new Set(Object.keys(mirror.subjects))));
        const whole = toMirror(graph);
        // A subject that left with others may linger until its own parent's change names it; what is reachable is equal.
        for (const [id, subject] of Object.entries(whole.subjects)) expect(mirror.subjects[id]).toEqual(subject);
      }
      stream.close();
    }),
    { numRuns: 50 },
  );
});
