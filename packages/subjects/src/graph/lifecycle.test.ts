import { describe, expect, test } from "vitest";
import { c } from "../define/c.ts";
import { defineInterface } from "../define/define-interface.ts";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { graphOf } from "./graph-of.ts";
import { isAttached, nameOf, openGraph, parentsOf, thing, writtenEvents } from "../testing/test-graph.ts";

describe("lifecycle, row by row", () => {
  // @proves subjects.row.lifecycle-shared-parents
  test("root→A→shared and root→B→shared: A removed, then B", () => {
    const { graph, root } = openGraph();
    const [a, b, shared] = [thing("a"), thing("b"), thing("shared")];
    a.link = shared;
    b.link = shared;
    root.list = [a, b];
    expect(graph.registry.refCount(shared)).toBe(2);

    root.list = [b];
    expect(isAttached(graph, a, b, shared)).toEqual([false, true, true]);
    expect(parentsOf(graph, shared)).toEqual(["b.link"]);

    root.list = [];
    expect(isAttached(graph, b, shared)).toEqual([false, false]);
  });

  // @proves subjects.row.lifecycle-self-reference
  test("self reference on an attached subject: stays attached, one attach event, one reference more", () => {
    const { graph, root } = openGraph();
    const events = writtenEvents(graph);
    const a = thing("a");
    root.link = a;
    a.link = a;
    expect(events).toEqual(["attach a", "+a"]);
    expect(graph.registry.refCount(a)).toBe(2);
    a.link = null;
    expect(isAttached(graph, a)).toEqual([true]);
  });

  // @proves subjects.row.lifecycle-mutual-links-cut
  test("A⇄B both in root's list, inner links cut: both stay", () => {
    const { graph, root } = openGraph();
    const [a, b] = [thing("a"), thing("b")];
    a.link = b;
    b.link = a;
    root.list = [a, b];
    a.link = null;
    b.link = null;
    expect(isAttached(graph, a, b)).toEqual([true, true]);
  });

  // @proves subjects.row.lifecycle-orphaned-cycle
  test("root→A→B⇄C, root→A cut: A, B, C all detached", () => {
    const { graph, root } = openGraph();
    const [a, b, cycle] = [thing("a"), thing("b"), thing("c")];
    a.link = b;
    b.link = cycle;
    cycle.link = b;
    root.link = a;
    expect(graph.registry.count).toBe(4);
    root.link = null;
    expect(isAttached(graph, a, b, cycle)).toEqual([false, false, false]);
    expect(graph.registry.count).toBe(1);
  });

  // @proves subjects.row.lifecycle-list-removal subjects.children.index-live
  test("list [a,b,c] → [a,c]: b detached; c's key is 1 in parents and children", () => {
    const { graph, root } = openGraph();
    const [a, b, last] = [thing("a"), thing("b"), thing("c")];
    root.list = [a, b, last];
    root.list = [a, last];
    expect(isAttached(graph, b)).toEqual([false]);
    expect(parentsOf(graph, last)).toEqual(["root.list[1]"]);
    expect(graph.find("/list[1]")).toBe(last);
  });

  // @proves subjects.row.lifecycle-list-reorder subjects.children.index-live
  test("list reordered [a,b,c] → [c,a,b]: no attach or detach, keys 0,1,2, one change on the list", () => {
    const { graph, root } = openGraph();
    const [a, b, last] = [thing("a"), thing("b"), thing("c")];
    root.list = [a, b, last];
    const events = writtenEvents(graph);
    const changes: string[] = [];
    graph.onChange(({ property }) => changes.push(property));
    root.list = [last, a, b];
    expect(events).toEqual([]);
    expect(changes).toEqual(["list"]);
    expect([last, a, b].map((each) => parentsOf(graph, each))).toEqual([
      ["root.list[0]"],
      ["root.list[1]"],
      ["root.list[2]"],
    ]);
  });

  // @proves subjects.row.lifecycle-first-parent-removed
  test("first of three parents removed: the others keep their insertion order", () => {
    const { graph, root } = openGraph();
    const [a, b, third, shared] = [thing("a"), thing("b"), thing("c"), thing("shared")];
    root.list = [a, b, third];
    a.link = shared;
    b.link = shared;
    third.link = shared;
    expect(parentsOf(graph, shared)).toEqual(["a.link", "b.link", "c.link"]);
    a.link = null;
    expect(parentsOf(graph, shared)).toEqual(["b.link", "c.link"]);
  });

  // @proves subjects.row.lifecycle-reattach
  test("subject detached then attached again: one fresh parent entry, subscriptions revive", () => {
    const { graph, root } = openGraph();
    const a = thing("a");
    const heard: unknown[] = [];
    root.link = a;
    a.$on("value", (value) => heard.push(value));
    a.value = 1;
    root.link = null;
    a.value = 2;
    root.other = a;
    a.value = 3;
    expect(parentsOf(graph, a)).toEqual(["root.other"]);
    expect(heard).toEqual([1, 3]);
  });

  // @proves subjects.row.lifecycle-twice-in-list
  test("same subject twice in one list: two references, two entries, one attach", () => {
    const { graph, root } = openGraph();
    const events = writtenEvents(graph);
    const a = thing("a");
    root.list = [a, a];
    expect(graph.registry.refCount(a)).toBe(2);
    expect(parentsOf(graph, a)).toEqual(["root.list[0]", "root.list[1]"]);
    expect(events.filter((event) => event === "attach a")).toHaveLength(1);
    expect([...graph.children(root)].map(({ step, subject }) => [step, nameOf(subject)])).toEqual([
      ["list[0]", "a"],
      ["list[1]", "a"],
    ]);
    root.list = [a];
    expect(parentsOf(graph, a)).toEqual(["root.list[0]"]);
  });

  // @proves subjects.row.lifecycle-write-to-departing
  test("a listener writes to the departing child: value stored, not tracked, no event", () => {
    const { graph, root } = openGraph();
    const a = thing("a");
    root.link = a;
    const changes: string[] = [];
    graph.onChange(({ property }) => changes.push(property));
    graph.onLifecycle(({ contextDetach }) => {
      if (contextDetach) a.value = 7;
    });
    root.link = null;
    expect(a.value).toBe(7);
    expect(changes).toEqual(["link"]);
  });
});

// @proves subjects.lifecycle.flags-attach subjects.lifecycle.flags-detach subjects.lifecycle.flags-reference
test("handlers get the flags of attach, further references, and detach", () => {
  const { graph, root } = openGraph();
  const a = thing("a");
  const seen: unknown[] = [];
  graph.onLifecycle(({ contextAttach, contextDetach, referenceAdded, referenceRemoved, property }) => {
    seen.push({ contextAttach, contextDetach, referenceAdded, referenceRemoved, property });
  });
  const none = { contextAttach: false, contextDetach: false, referenceAdded: false, referenceRemoved: false };
  root.link = a;
  root.other = a;
  root.other = null;
  root.link = null;
  expect(seen).toEqual([
    { ...none, contextAttach: true, referenceAdded: true, property: "link" },
    { ...none, referenceAdded: true, property: "other" },
    { ...none, referenceRemoved: true, property: "other" },
    { ...none, contextDetach: true, referenceRemoved: true, property: "link" },
  ]);
});

// @proves subjects.lifecycle.attach-order subjects.lifecycle.ancestors-resolve subjects.derived.first-value subjects.attributes.initialisers
test("attach goes registry, parents, children, hooks, initialisers, derived values, attached event", () => {
  const { graph, root } = openGraph();
  const order: string[] = [];
  const Hooked = defineSubject("test.lifecycle.Hooked", {
    props: { name: p.string() },
    children: { below: c.one() },
    derived: {
      depth: (s) => {
        order.push(`derived ${s.name}`);
        let depth = 0;
        for (let [up] = graph.registry.parents(s); up !== undefined; [up] = graph.registry.parents(up.subject))
          depth += 1;
        return depth;
      },
    },
    onAttach(s) {
      const parents = graph.registry.parents(s);
      expect(parents).toHaveLength(1);
      expect(graph.registry.get(parents[0]?.subject ?? s)).toBeDefined();
      expect(s.$path).not.toBeNull();
      order.push(`hook ${s.name}`);
    },
  });
  graph.addInitialiser(({ subject, name }) => {
    if (name === "name" && subject.type === "test.lifecycle.Hooked")
      order.push(`initialiser ${nameOf(subject.subject)}`);
  });
  graph.onLifecycle(({ subject }) => order.push(`attached ${nameOf(subject)}`));
  const below = Hooked.create({ name: "below" });
  const above = Hooked.create({ name: "above", below });
  root.link = above;
  expect(order).toEqual([
    "hook above",
    "hook below",
    "initialiser above",
    "initialiser below",
    "derived below",
    "derived above",
    "attached above",
    "attached below",
  ]);
  expect([above.depth, below.depth]).toEqual([1, 2]);
});

// @proves subjects.lifecycle.detach-order
test("detach raises its event on the whole graph, runs hooks deepest first, then removes", () => {
  const { graph, root } = openGraph();
  const order: string[] = [];
  const Hooked = defineSubject("test.lifecycle.Leaving", {
    props: { name: p.string() },
    children: { below: c.one() },
    onDetach: (s) => void order.push(`hook ${s.name}`),
  });
  const below = Hooked.create({ name: "below" });
  const above = Hooked.create({ name: "above", below });
  root.link = above;
  graph.onLifecycle(({ subject }) => {
    order.push(`detaching ${nameOf(subject)} at ${String(subject.$path)} of ${graph.registry.count}`);
    expect(graph.registry.parents(subject)).toHaveLength(1);
  });
  root.link = null;
  expect(order).toEqual([
    "detaching above at /link of 3",
    "detaching below at /link/below of 3",
    "hook below",
    "hook above",
  ]);
  expect(graph.registry.count).toBe(1);
  expect(below.$path).toBeNull();
});

// @proves subjects.lifecycle.move-in-batch subjects.row.path-detach-move
test("a move inside one batch is reference changes only", () => {
  const { graph, root } = openGraph();
  const a = thing("a");
  root.link = a;
  const events = writtenEvents(graph);
  graph.batch(() => {
    root.link = null;
    expect(isAttached(graph, a)).toEqual([true]);
    root.other = a;
  });
  expect(events).toEqual(["+a", "-a"]);
  expect(a.$path).toBe("/other");
  graph.batch(() => {
    root.link = a;
    root.other = null;
  });
  expect(a.$path).toBe("/link");
  expect(events).toEqual(["+a", "-a", "+a", "-a"]);
});

// @proves subjects.lifecycle.structure-before-value
test("who hears of a reference finds the subject attached", () => {
  const { graph, root } = openGraph();
  const a = thing("a");
  const seen: unknown[] = [];
  root.$on("link", (value) => seen.push(value === null ? null : graph.registry.get(a)?.path));
  root.link = a;
  root.link = null;
  expect(seen).toEqual(["/link", null]);
});

// @proves subjects.children.one-replace
test("assigning a reference attaches the one and detaches the other", () => {
  const { graph, root } = openGraph();
  const [a, b] = [thing("a"), thing("b")];
  root.link = a;
  root.link = b;
  expect(isAttached(graph, a, b)).toEqual([false, true]);
});

// @proves subjects.context.inherit
test("children take their parent's graph over at attach and lose it at detach", () => {
  const { graph, root } = openGraph();
  const [a, b] = [thing("a"), thing("b")];
  a.link = b;
  expect(graphOf(b)).toBeUndefined();
  root.link = a;
  expect(graphOf(b)).toBe(graph);
  root.link = null;
  expect(graphOf(b)).toBeUndefined();
});

// @proves subjects.context.one-graph
test("a subject of one graph cannot be attached to another, and nothing changes when it is tried", () => {
  const first = openGraph();
  const second = openGraph();
  const [holder, a] = [thing("holder"), thing("a")];
  first.root.link = a;
  holder.link = a;
  expect(() => (second.root.link = a)).toThrow("another graph");
  expect(() => (second.root.link = holder)).toThrow("another graph");
  expect(second.root.link).toBeNull();
  expect(second.graph.registry.count).toBe(1);
  expect(graphOf(a)).toBe(first.graph);
});

// @proves subjects.registry.by-interface subjects.type-providers.extends
test("lookup by interface follows attach and detach, ancestors of the interface included", () => {
  const { graph, root } = openGraph();
  const Sensor = defineInterface("test.lifecycle.Sensor");
  const Thermometer = defineInterface("test.lifecycle.Thermometer", { extends: [Sensor] });
  const Probe = defineSubject("test.lifecycle.Probe", { implements: [Thermometer], props: { name: p.string() } });
  const probe = Probe.create({ name: "probe" });
  const names = () => [Sensor, Thermometer].map(({ name }) => graph.registry.byInterface(name).length);
  expect(names()).toEqual([0, 0]);
  root.link = probe;
  expect(names()).toEqual([1, 1]);
  root.list = [Probe.create({ name: "second" }), thing("other")];
  expect(names()).toEqual([2, 2]);
  expect(graph.registry.byType("test.lifecycle.Probe")).toHaveLength(2);
  root.link = null;
  expect(names()).toEqual([1, 1]);
  expect(graph.countOfType("test.lifecycle.Sensor")).toBe(1);
});

// @proves subjects.model.registry-snapshot
test("iterating the registry while the graph changes yields one state", () => {
  const { graph, root } = openGraph();
  root.list = [thing("a"), thing("b"), thing("c")];
  const seen: string[] = [];
  for (const subject of graph.registry.subjects()) {
    seen.push(nameOf(subject));
    root.list = [];
    root.link = thing("late");
  }
  expect(seen.toSorted()).toEqual(["a", "b", "c", "root"]);
});

test("a failing hook or handler is logged and stops nobody else", () => {
  const { graph, root, logged } = openGraph();
  const Clumsy = defineSubject("test.lifecycle.Clumsy", {
    onAttach() {
      throw new Error("clumsy hook");
    },
  });
  let events = 0;
  graph.onLifecycle(() => {
    throw new Error("clumsy handler");
  });
  graph.onLifecycle(() => void (events += 1));
  root.link = Clumsy.create();
  expect(events).toBe(1);
  expect(logged.map(({ cause }) => String(cause))).toEqual(["Error: clumsy hook", "Error: clumsy handler"]);
});

test("what a handler saves while it departs stays, with everything below it", () => {
  const { graph, root } = openGraph();
  const [a, b] = [thing("a"), thing("b")];
  a.link = b;
  root.link = a;
  let saved = false;
  graph.onLifecycle(({ contextDetach, subject }) => {
    if (contextDetach && subject === b && !saved) {
      saved = true;
      root.other = b;
    }
  });
  root.link = null;
  expect(isAttached(graph, a, b)).toEqual([false, true]);
  expect(b.$path).toBe("/other");
  expect(parentsOf(graph, b)).toEqual(["root.other"]);
});

test("a replaced root takes over, and what only the former one reached is detached", () => {
  const { graph, root } = openGraph();
  const [kept, lost] = [thing("kept"), thing("lost")];
  root.list = [kept, lost];
  const next = thing("next");
  next.link = kept;
  graph.replaceRoot(next);
  expect(graph.root).toBe(next);
  expect(isAttached(graph, root, kept, lost, next)).toEqual([false, true, false, true]);
  expect(kept.$path).toBe("/link");
});
