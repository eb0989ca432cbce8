import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { c } from "../define/c.ts";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import {
  isAttached,
  nameOf,
  openGraph,
  parentsOf,
  thing,
  writtenEvents,
  type AnyThing,
} from "../testing/test-graph.ts";
import { ChildMap } from "./child-map.ts";
import type { Subject } from "./subject.ts";

describe("the children helper", () => {
  // @proves subjects.children.helpers subjects.children.index-live
  test("sets, deletes, inserts and moves with the smallest difference", () => {
    const { graph, root } = openGraph();
    const [a, b, extra] = [thing("a"), thing("b"), thing("c")];
    root.list = [a, b];
    const events = writtenEvents(graph);
    const values: string[] = [];
    root.$on("list", (list) => values.push(list.map(nameOf).join("")));
    const list = root.$children("list");
    list.insert(1, extra);
    list.move(0, 2);
    list.set(0, thing("d"));
    expect(list.delete(2)).toBe(true);
    expect(list.delete(9)).toBe(false);
    expect(values).toEqual(["acb", "cba", "dba", "db"]);
    expect(events).toEqual(["attach c", "attach d", "detach c", "detach a"]);
    expect(parentsOf(graph, b)).toEqual(["root.list[1]"]);
    expect([list.size, [...list.keys()]]).toEqual([2, [0, 1]]);

    const map = root.$children("map");
    map.set("x", a);
    map.set("y", extra);
    map.set("x", extra);
    expect(map.delete("y")).toBe(true);
    expect(map.delete("y")).toBe(false);
    expect([[...root.map.keys()], isAttached(graph, a, extra), parentsOf(graph, extra)]).toEqual([
      ["x"],
      [false, true],
      ["root.map[x]"],
    ]);
  });

  test("refuses what makes no sense, and changes nothing", () => {
    const { root } = openGraph();
    const list = root.$children("list");
    const map = root.$children("map");
    for (const wrong of [
      () => list.insert(1, thing("x")),
      () => list.set(0, thing("x")),
      () => list.move(0, 1),
      () => list.insert(-1, thing("x")),
      () => map.insert(0, thing("x")),
      () => map.move(0, 1),
      () => map.set("x".repeat(2_000), thing("x")),
      () => map.set("x", {} as Subject),
      () => root.$children("link"),
      () => root.$children("name"),
    ])
      expect(wrong).toThrow();
    expect([root.list.length, root.map.size]).toEqual([0, 0]);
  });
});

// @proves subjects.children.immutable
test("an exposed list or map cannot be changed in place", () => {
  const { root } = openGraph();
  root.list = [thing("a")];
  root.map = new Map([["k", thing("b")]]);
  const list = root.list as Subject[];
  expect(() => list.push(thing("x"))).toThrow(TypeError);
  expect(() => (list[0] = thing("x"))).toThrow(TypeError);
  const map = root.map as Map<string, Subject>;
  expect([map.set, map.delete, map.clear]).toEqual([undefined, undefined, undefined]);
  expect(() => Map.prototype.set.call(map, "x", thing("x"))).toThrow(TypeError);
  const given = [thing("c")];
  root.list = given;
  given.push(thing("d"));
  expect(root.list.map(nameOf)).toEqual(["c"]);
});

// @proves subjects.model.child-shapes
test("a child property takes its own shape and nothing else", () => {
  const { root } = openGraph();
  const Relay = defineSubject("test.children.Relay", { props: { on: p.boolean() } });
  const Board = defineSubject("test.children.Board", {
    children: { relay: c.one(() => Relay), pins: c.list(() => Relay) },
  });
  expect(() => root.$set("list", thing("x"))).toThrow("takes a list of subjects");
  expect(() => root.$set("list", [{}])).toThrow("takes subjects");
  expect(() => root.$set("map", [thing("x")])).toThrow("takes a map of subjects");
  expect(() => root.$set("map", thing("x"))).toThrow("takes a map of subjects");
  expect(() => root.$set("link", [thing("x")])).toThrow("takes subjects");
  expect(() => root.$set("link", "x")).toThrow("takes subjects");
  const board = Board.create();
  expect(() => board.$set("relay", thing("x"))).toThrow("takes subjects of type test.children.Relay, not test.Thing");
  expect(() => board.$set("pins", [Relay.create(), thing("x")])).toThrow("of type test.children.Relay");
  expect([board.relay, board.pins]).toEqual([null, []]);
});

test("a map of children behaves as a map, whatever happens to the one it came from", () => {
  const operation = fc.record({
    key: fc.constantFrom("a", "b", "c", "__proto__"),
    value: fc.option(fc.nat(3)),
    version: fc.nat(20),
    look: fc.boolean(),
  });
  const subjects: AnyThing[] = Array.from({ length: 4 }, (_, i) => thing(`s${i}`));
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 25 }), (operations) => {
      const versions: { readonly view: ChildMap; readonly model: ReadonlyMap<string, Subject> }[] = [
        { view: ChildMap.EMPTY, model: new Map() },
      ];
      for (const { key, value, version, look } of operations) {
        const from = versions[version % versions.length] ?? { view: ChildMap.EMPTY, model: new Map<string, Subject>() };
        const subject = value === null ? undefined : subjects[value];
        const model = new Map(from.model);
        if (subject === undefined) model.delete(key);
        else model.set(key, subject);
        if (look) expect(new Map(from.view)).toEqual(from.model);
        versions.push({ view: ChildMap.changed(from.view, key, subject), model });
      }
      for (const { view, model } of versions) {
        expect(new Map(view)).toEqual(model);
        expect([view.size, view.has("a"), view.get("b")]).toEqual([model.size, model.has("a"), model.get("b")]);
      }
    }),
  );
});

test("a walk over a map is not disturbed by changes made meanwhile", () => {
  const { root } = openGraph();
  root.map = new Map(["a", "b", "c"].map((key) => [key, thing(key)]));
  const seen: string[] = [];
  for (const [key] of root.map) {
    seen.push(key);
    root.$children("map").delete(key);
    root.$children("map").set(`${key}${key}`, thing(key));
  }
  expect([seen, [...root.map.keys()]]).toEqual([
    ["a", "b", "c"],
    ["aa", "bb", "cc"],
  ]);
});
