import fc from "fast-check";
import { expect, test } from "vitest";
import { createManualClock, silentLog } from "@steading/kernel";
import { createGraph } from "../graph/create-graph.ts";
import type { Subject } from "../instance/subject.ts";
import { awkwardText } from "../testing/awkward-text.ts";
import { Thing, thing, type AnyThing } from "../testing/test-graph.ts";
import { all } from "./path-providers.ts";

type Step =
  | { readonly shape: "link" | "other"; readonly from: number; readonly to: number }
  | { readonly shape: "list"; readonly from: number; readonly to: number }
  | { readonly shape: "map" | "children"; readonly from: number; readonly to: number; readonly key: string };

const SIZE = 8;
/** Mostly near the root, so that what is built hangs together and a cut lets something go. */
const near = (): fc.Arbitrary<number> =>
  fc.oneof({ weight: 2, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(SIZE - 1) });
const step = (): fc.Arbitrary<Step> =>
  fc.oneof(
    fc.record({
      shape: fc.constantFrom("link" as const, "other" as const),
      from: near(),
      to: fc.nat(SIZE - 1),
    }),
    fc.record({ shape: fc.constant("list" as const), from: near(), to: fc.nat(SIZE - 1) }),
    fc.record({
      shape: fc.constantFrom("map" as const, "children" as const),
      from: near(),
      to: fc.nat(SIZE - 1),
      key: awkwardText(),
    }),
  );

function connect(nodes: readonly AnyThing[], { shape, from, to, ...rest }: Step): void {
  const parent = nodes[from];
  const child = nodes[to];
  if (parent === undefined || child === undefined) return;
  if (shape === "list") parent.list = [...parent.list, child];
  else if (shape === "map" || shape === "children") parent.$children(shape).set("key" in rest ? rest.key : "", child);
  else parent[shape] = child;
}

/** What is reachable, worked out the slow and obvious way. */
function reachable(root: AnyThing): Set<Subject> {
  const seen = new Set<Subject>([root]);
  const stack: AnyThing[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    for (const child of [node.link, node.other, ...node.list, ...node.map.values(), ...node.children.values()]) {
      if (child === null || seen.has(child)) continue;
      seen.add(child);
      stack.push(child as AnyThing);
    }
  }
  return seen;
}

// @proves subjects.paths.round-trip subjects.mounts.foreign-names subjects.paths.canonical
test("in random graphs with awkward keys every printed path leads back to where it was printed", () => {
  fc.assert(
    fc.property(fc.array(step(), { maxLength: 30 }), (steps) => {
      const nodes = Array.from({ length: SIZE }, (_, i) => thing(`n${i}`));
      const root = nodes[0] ?? thing("root");
      const graph = createGraph({ clock: createManualClock(), log: silentLog, root });
      for (const each of steps) connect(nodes, each);
      const provider = all();
      const astray: string[] = [];
      const check = (isTrue: boolean, path: string): void => void (isTrue || astray.push(path));
      for (const subject of reachable(root)) {
        const paths = graph.paths(subject, provider, 8);
        check(subject.$path === paths[0] && paths.length > 0, `canonical ${String(subject.$path)}`);
        for (const path of paths) {
          const found = graph.locate(path, provider);
          check(found.kind === "subject" && found.path === path && found.subject.subject === subject, path);
          const property = graph.locate(`${path}/name`);
          check(property.kind === "property" && graph.get(property.path) === subject.$get("name"), `${path}/name`);
        }
        const own = subject.$path === "/" ? "" : String(subject.$path);
        for (const { step: printed, subject: child } of graph.children(subject))
          check(graph.find(`${own}/${printed}`) === child, `${own}/${printed}`);
      }
      expect(astray).toEqual([]);
    }),
  );
});

// @proves subjects.lifecycle.flags-attach subjects.lifecycle.flags-detach subjects.children.index-live subjects.registry.surface
test("after any sequence of links and cuts the registry holds exactly what is reachable, with true parents", () => {
  const action = fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant("connect" as const), step: step() }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom("cut" as const, "shuffle" as const),
        at: near(),
        pick: fc.nat(9),
      }),
    },
  );
  fc.assert(
    fc.property(
      fc.array(fc.record({ actions: fc.array(action, { minLength: 1, maxLength: 4 }), inBatch: fc.boolean() }), {
        maxLength: 12,
      }),
      fc.tuple(...Array.from({ length: SIZE - 1 }, (_, i) => fc.nat(i))),
      fc.array(fc.record({ from: fc.nat(SIZE - 1), to: fc.nat(SIZE - 1) }), { maxLength: 6 }),
      (rounds, parents, back) => {
        const nodes = Array.from({ length: SIZE }, (_, i) => thing(`n${i}`));
        const root = nodes[0] ?? thing("root");
        const graph = createGraph({ clock: createManualClock(), log: silentLog, root });
        const attached = new Set<Subject>([root]);
        graph.onLifecycle(({ subject, contextAttach, contextDetach }) => {
          if (contextAttach) expect(attached.has(subject)).toBe(false);
          if (contextAttach) attached.add(subject);
          if (contextDetach) expect(attached.delete(subject)).toBe(true);
        });
        // Everything hangs on the root to begin with, some of it in rings, which only reachability can tell from the rest.
        parents.forEach((from, i) => connect(nodes, { shape: "list", from, to: i + 1 }));
        for (const { from, to } of back) connect(nodes, { shape: "children", from, to, key: `back ${from}` });
        for (const { actions, inBatch } of rounds) {
          const run = (): void => {
            for (const each of actions) {
              if (each.do === "connect") connect(nodes, each.step);
              else change(nodes[each.at], each.pick, each.do);
            }
          };
          if (inBatch) graph.batch(run);
          else run();
          const expected = reachable(root);
          expect(new Set(graph.registry.subjects())).toEqual(expected);
          expect(attached).toEqual(expected);
          for (const subject of expected)
            expect(parentTexts(graph.registry.parents(subject))).toEqual(expectedParents(expected, subject));
        }
      },
    ),
    { numRuns: 300 },
  );
});

function change(node: AnyThing | undefined, pick: number, what: "cut" | "shuffle"): void {
  if (node === undefined) return;
  if (what === "shuffle") {
    node.list = node.list.toReversed();
    return;
  }
  if (pick < 2) node[pick === 0 ? "link" : "other"] = null;
  else if (pick < 5) node.list = node.list.filter((_, i) => i % 3 !== pick % 3);
  else {
    const children = node.$children(pick < 8 ? "map" : "children");
    const [key] = children.keys();
    if (key !== undefined) children.delete(key);
  }
}

function parentTexts(
  parents: readonly { subject: Subject; property: string; key: string | number | null }[],
): string[] {
  return parents
    .map(({ subject, property, key }) => `${String(subject.$get("name"))} ${property} ${typeof key} ${String(key)}`)
    .toSorted();
}

function expectedParents(all: ReadonlySet<Subject>, child: Subject): string[] {
  const found: { subject: Subject; property: string; key: string | number | null }[] = [];
  for (const each of all) {
    const node = each as AnyThing;
    if (!Thing.is(node)) continue;
    for (const property of ["link", "other"] as const)
      if (node[property] === child) found.push({ subject: node, property, key: null });
    node.list.forEach((item, key) => item === child && found.push({ subject: node, property: "list", key }));
    for (const property of ["map", "children"] as const)
      node[property].forEach((item, key) => item === child && found.push({ subject: node, property, key }));
  }
  return parentTexts(found);
}
