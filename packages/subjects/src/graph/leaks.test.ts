import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { c } from "../define/c.ts";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { nodeOf } from "../instance/held.ts";
import { all, state } from "../paths/path-providers.ts";
import { openGraph, thing, type TestGraph } from "../testing/test-graph.ts";
import { scriptedSource, Valve } from "../testing/test-sources.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void; // what the flag just made

async function isCollected(reference: WeakRef<object>): Promise<boolean> {
  for (let i = 0; i < 10; i++) {
    await turn(); // a reference that was looked at stays alive until the end of its turn
    collect();
    if (reference.deref() === undefined) return true;
  }
  return false;
}

/** Each makes a subject, entangles it in one way, detaches it, and keeps nothing of it but a weak reference. */
const entanglements: Record<string, (opened: TestGraph) => WeakRef<object> | Promise<WeakRef<object>>> = {
  "registry, parents and interface index": ({ root }) => {
    const a = thing("a");
    root.link = a;
    root.link = null;
    return new WeakRef(a);
  },
  "several references and a cycle": ({ root }) => {
    const [a, b] = [thing("a"), thing("b")];
    a.link = b;
    b.link = a;
    root.link = a;
    root.list = [a, b];
    root.link = null;
    root.list = [];
    return new WeakRef(a);
  },
  "a map of children, entry by entry": ({ root }) => {
    const a = thing("a");
    const children = root.$children("map");
    children.set("a", a);
    children.set("b", thing("b"));
    children.delete("a");
    children.set("c", thing("c"));
    return new WeakRef(a);
  },
  "its id": ({ graph, root }) => {
    const a = thing("a");
    root.link = a;
    graph.registry.setId(a, "urn:a");
    root.link = null;
    expect(graph.registry.byId("urn:a")).toBeUndefined();
    return new WeakRef(a);
  },
  "cached paths of several providers": ({ graph, root }) => {
    const a = thing("a");
    root.link = a;
    graph.pathOf(a);
    graph.pathOf(a, state());
    graph.pathOf(a, all());
    graph.locate("/link/name");
    root.link = null;
    return new WeakRef(a);
  },
  "listeners of its own and on the graph": ({ graph, root }) => {
    const a = thing("a");
    graph.onChange(() => {});
    root.link = a;
    a.$on("value", () => {});
    a.value = 3;
    root.link = null;
    return new WeakRef(a);
  },
  "derived values in both directions": ({ graph, root }) => {
    const Sum = defineSubject("test.leaks.Sum", {
      children: { parts: c.list() },
      derived: { total: (s) => s.parts.reduce((sum, part) => sum + Number(part.$get("value")), 0) },
    });
    const a = thing("a");
    const sum = Sum.create({ parts: [a] });
    root.link = sum;
    graph.registry.addDerived(a, "up", () => sum.total);
    a.value = 3;
    expect(sum.total).toBe(3);
    sum.parts = [];
    return new WeakRef(a);
  },
  "a stream that was not read": ({ graph, root }) => {
    const stream = graph.changes({ filter: ({ property }) => property === "value" });
    const a = thing("a");
    root.link = a;
    root.link = null;
    expect(stream.pending).toBe(0);
    return new WeakRef(a);
  },
  "a capture that was released": ({ graph, root }) => {
    const a = thing("a");
    root.link = a;
    const capture = graph.capture();
    root.link = null;
    expect(capture.locate("/link").kind).toBe("subject");
    capture.release();
    return new WeakRef(a);
  },
  "a batch and a transaction": async ({ graph, root }) => {
    const a = thing("a");
    graph.batch(() => {
      root.link = a;
      a.value = 1;
    });
    await graph.transaction({}, (tx) => tx.set(a, "value", 2));
    graph.batch(() => {
      a.value = 3;
      root.link = null;
    });
    return new WeakRef(a);
  },
  "a dynamic property and its attribute": ({ graph, root }) => {
    const a = thing("a");
    root.link = a;
    graph.registry.addProperty(a, "extra", p.number(), 3);
    graph.registry.addAttribute(a, "extra", "note", { get: (s) => s.$get("extra") });
    root.link = null;
    return new WeakRef(a);
  },
  "the claims of a source": async ({ graph }) => {
    const valve = Valve.create();
    const source = scriptedSource({ writes: "mirror" });
    await graph.addSource("m", source, { mount: "/m" }).start();
    source.context?.attach("", "valve", valve);
    source.context?.claim(valve);
    source.context?.write([{ path: "valve/target", value: 3 }]);
    source.context?.detach(valve);
    source.context?.write([{ path: "valve/target", value: 4 }]);
    await graph.close();
    source.calls.length = 0;
    return new WeakRef(valve);
  },
};

describe("a detached subject is collected, whatever it was entangled in:", () => {
  // @proves subjects.lifecycle.detach-leaves-nothing
  test.for(Object.entries(entanglements))("%s", async ([, entangle]) => {
    const opened = openGraph();
    const reference = await entangle(opened);
    expect(await isCollected(reference)).toBe(true);
    expect(opened.graph.registry.count).toBeGreaterThan(0);
  });
});

// @proves subjects.lifecycle.detach-leaves-nothing
test("nothing of a detached subject is left on the subject itself either", () => {
  const { graph, root } = openGraph();
  const a = thing("a");
  root.link = a;
  graph.registry.addDerived(a, "twice", (s) => Number(s.$get("value")) * 2);
  graph.pathOf(a);
  root.link = null;
  const node = nodeOf(a);
  expect([
    node.core,
    node.parent,
    node.paths,
    node.index,
    node.standing,
    node.extra?.computations,
    node.extra?.links,
    node.extra?.pending,
  ]).toEqual([null, null, null, -1, null, null, null, null]);
});
