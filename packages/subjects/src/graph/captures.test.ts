import fc from "fast-check";
import { expect, test } from "vitest";
import { c } from "../define/c.ts";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { nameOf, openGraph, thing, type AnyThing } from "../testing/test-graph.ts";
import { scriptedSource, Valve } from "../testing/test-sources.ts";
import type { GraphView } from "./view.ts";

const Room = defineSubject("test.captures.Room", {
  props: { t: p.number().writable() },
  children: { lamp: c.one() },
  derived: { twice: (s) => s.t * 2 },
  title: (s) => `Room at ${s.t}`,
});

test("a capture shows values, derived values, titles and structure as they were", () => {
  const { graph, root } = openGraph();
  const [lamp, other] = [thing("lamp"), thing("other")];
  const room = Room.create({ t: 20, lamp });
  root.map = new Map([["room", room]]);
  room.t = 21;
  const capture = graph.capture();
  room.t = 30;
  room.lamp = other;
  graph.registry.addProperty(room, "extra", p.number(), 1);
  root.link = thing("late");
  root.map = new Map();

  const get = (path: string): unknown => {
    const found = capture.locate(path);
    return found.kind === "property"
      ? found.property.value
      : found.kind === "subject"
        ? found.subject.subject
        : found.kind;
  };
  expect([
    get("/map[room]/t"),
    get("/map[room]/twice"),
    get("/map[room]/lamp"),
    get("/map[room]/extra"),
    get("/link"),
  ]).toEqual([21, 42, lamp, "missing", "missing"]);
  expect(capture.info(room).title).toBe("Room at 21");
  expect([capture.has(room), capture.has(lamp), capture.has(other), graph.has(room)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([capture.pathOf(lamp), graph.pathOf(lamp)]).toEqual(["/map[room]/lamp", null]);
  expect([...capture.ofType("test.captures.Room")]).toEqual([room]);
  expect([capture.countOfType("test.captures.Room"), capture.countOfType("test.Thing")]).toEqual([1, 2]);
  expect([capture.revision < graph.revision, capture.keptValues > 0]).toEqual([true, true]);
  expect(capture.info(root).property("map")?.value).toHaveProperty("size", 1);
  capture.release();
  root.value = 1;
  expect(capture.keptValues).toBeLessThan(20);
});

test("quality and times are those of the moment, and captures do not disturb each other", async () => {
  const { graph, clock } = openGraph();
  const valve = Valve.create();
  const source = scriptedSource({ valve });
  source.snapshot = [{ path: "valve/flow", value: 5, at: 1 }];
  const handle = graph.addSource("m", source, { mount: "/m" });
  await handle.start();
  const before = graph.capture();
  source.context?.write([{ path: "valve/flow", value: 6, at: 2, quality: "bad" }]);
  const after = graph.capture();
  await handle.stop();
  const flow = (view: GraphView) => {
    const info = view.info(valve).property("flow");
    return [info?.value, info?.quality, info?.changedAt];
  };
  expect([flow(before), flow(after), flow(graph)]).toEqual([
    [5, "good", 1],
    [6, "bad", 2],
    [6, "bad", 2],
  ]);
  expect(before.info(valve).property("open")?.quality).toBe("unknown");
  before.release();
  after.release();
  await graph.close();
  expect(clock.pending).toBe(0);
});

test("whatever happens afterwards, a capture lists the same tree", () => {
  const tree = (view: GraphView): string[] => {
    const lines: string[] = [];
    const walk = (subject: AnyThing, indent: string): void => {
      lines.push(
        `${indent}${String(view.info(subject).property("name")?.value)} ${String(view.info(subject).property("value")?.value)} ${String(view.pathOf(subject))}`,
      );
      for (const { step, subject: child } of view.children(subject)) {
        lines.push(`${indent} ${step}`);
        if (indent.length < 4) walk(child as AnyThing, `${indent}  `);
      }
    };
    walk(view.root as AnyThing, "");
    return lines;
  };
  const action = fc.record({
    at: fc.nat(5),
    to: fc.nat(5),
    what: fc.constantFrom("link", "list", "map", "unlink", "drop", "value"),
    key: fc.constantFrom("x", "y"),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 15 }), fc.array(action, { maxLength: 15 }), (before, after) => {
      const nodes = Array.from({ length: 6 }, (_, i) => thing(`n${i}`));
      const { graph } = openGraph(nodes[0]);
      const act = ({ at, to, what, key }: (typeof before)[number]): void => {
        const [node, child] = [nodes[at], nodes[to]];
        if (node === undefined || child === undefined) return;
        if (what === "link") node.link = child;
        else if (what === "unlink") node.link = null;
        else if (what === "list") node.list = [...node.list, child];
        else if (what === "drop") node.list = node.list.slice(1);
        else if (what === "map") node.$children("map").set(key, child);
        else node.value = to;
      };
      before.forEach(act);
      const live = tree(graph);
      const capture = graph.capture();
      after.forEach(act);
      expect(tree(capture)).toEqual(live);
      capture.release();
      expect(nameOf(graph.root)).toBe("n0");
    }),
  );
});
