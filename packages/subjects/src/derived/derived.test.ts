import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { c } from "../define/c.ts";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import type { Change } from "../graph/change.ts";
import { nodeOf } from "../instance/held.ts";
import type { Subject } from "../instance/subject.ts";
import { openGraph, thing } from "../testing/test-graph.ts";

function room(runs: string[] = []) {
  const Room = defineSubject("test.derived.Room", {
    props: { a: p.number().writable(), b: p.number().writable(), useB: p.boolean().writable() },
    derived: {
      sum: (s) => {
        runs.push("sum");
        return s.useB ? s.a + s.b : s.a;
      },
      double: { get: (s) => (s as unknown as { sum: number }).sum * 2 },
      parity: { get: (s) => (s as unknown as { sum: number }).sum % 2 },
    },
  });
  return Room.create({ a: 1, b: 10, useB: true });
}

// @proves subjects.derived.discovery
test("a derived property depends on exactly what its latest evaluation read, of any subject", () => {
  const runs: string[] = [];
  const { root } = openGraph();
  const one = room(runs);
  root.link = one;
  one.$on("sum", () => {});
  runs.length = 0;
  one.b = 20;
  expect([one.sum, one.double, runs]).toEqual([21, 42, ["sum"]]);
  one.useB = false;
  runs.length = 0;
  one.b = 30;
  expect([one.sum, runs]).toEqual([1, []]);
  one.useB = true;
  expect(one.sum).toBe(31);
});

// @proves subjects.derived.batch-once subjects.changes.batch
test("an observed derived property is recomputed once per batch, with one timestamp", () => {
  const runs: string[] = [];
  const { graph, root, clock } = openGraph();
  const one = room(runs);
  root.link = one;
  const changes: Change[] = [];
  graph.onChange((change) => changes.push(change));
  runs.length = 0;
  let reads = 0;
  const now = clock.now.bind(clock);
  clock.now = () => {
    reads += 1;
    return now();
  };
  graph.batch(() => {
    one.a = 2;
    one.b = 20;
    one.a = 3;
    expect(runs).toEqual([]);
    graph.batch(() => (one.b = 30));
    expect(changes).toEqual([]);
  });
  expect(runs).toEqual(["sum"]);
  expect(changes.map(({ property, old, value }) => [property, old, value])).toEqual([
    ["a", 1, 3],
    ["b", 10, 30],
    ["sum", 11, 33],
    ["double", 22, 66],
  ]);
  expect(reads).toBe(1);
  expect(new Set(changes.map(({ changedAt }) => changedAt)).size).toBe(1);
});

// @proves subjects.derived.glitch-free
test("in a diamond nobody sees a mix of old and new", () => {
  const seen: string[] = [];
  const Diamond = defineSubject("test.derived.Diamond", {
    props: { n: p.number().writable() },
    derived: {
      left: (s) => s.n + 1,
      right: (s) => s.n * 10,
      both: {
        get(s) {
          const { left, right } = s as unknown as { left: number; right: number };
          seen.push(`${left}/${right}`);
          return left + right;
        },
      },
    },
  });
  const { graph, root } = openGraph();
  const diamond = Diamond.create({ n: 1 });
  root.link = diamond;
  graph.onChange(() => {
    expect(diamond.left - 1).toBe(diamond.n);
    expect(diamond.right / 10).toBe(diamond.n);
    expect(diamond.both).toBe(diamond.left + diamond.right);
  });
  diamond.n = 2;
  diamond.n = 3;
  expect(seen).toEqual(["2/10", "3/20", "4/30"]);
});

// @proves subjects.derived.lazy-unobserved
test("a derived property that nobody observes is recomputed on its next read, not on writes", () => {
  const runs: string[] = [];
  const { root } = openGraph();
  const one = room(runs);
  root.link = one;
  runs.length = 0;
  one.a = 2;
  one.a = 3;
  expect(runs).toEqual([]);
  expect([one.sum, one.sum, runs]).toEqual([13, 13, ["sum"]]);
});

test("what was left stale catches up when somebody begins to observe", () => {
  const { graph, root } = openGraph();
  const one = room();
  root.link = one;
  one.a = 5;
  const changes: unknown[] = [];
  graph.onChange(({ property, old, value }) => changes.push([property, old, value]));
  one.a = 6;
  expect(changes).toEqual([
    ["a", 5, 6],
    ["sum", 15, 16],
    ["double", 30, 32],
    ["parity", 1, 0],
  ]);
  const heard: unknown[] = [];
  one.$on("double", (value, old) => heard.push([old, value]));
  one.b = 11;
  expect(heard).toEqual([[32, 34]]);
});

// @proves subjects.derived.notify-on-difference
test("recomputing to an equal value tells nobody", () => {
  const { root } = openGraph();
  const one = room();
  root.link = one;
  const heard: unknown[] = [];
  one.$on("parity", (value) => heard.push(value));
  one.a = 3;
  expect(heard).toEqual([]);
  one.a = 4;
  expect(heard).toEqual([0]);
});

// @proves subjects.derived.change-fields subjects.changes.origin-not-inherited
test("its change carries the committed value, the trigger's time and origin local", () => {
  const { graph, root } = openGraph();
  const one = room();
  root.link = one;
  const source = graph.addSource(
    "meter",
    { start: () => Promise.resolve(), load: () => Promise.resolve([]), stop: () => Promise.resolve() },
    { mount: "/m" },
  );
  const changes: Change[] = [];
  let write: ((at: number) => void) | undefined;
  source.source.start = (context) => {
    write = (at) => context.write([{ subject: one, property: "a", value: 7, at }]);
    return Promise.resolve();
  };
  return source.start().then(async () => {
    graph.onChange((change) => changes.push(change));
    write?.(1234);
    const bySum = changes.find(({ property }) => property === "sum");
    expect(changes[0]).toMatchObject({ property: "a", changedAt: 1234, origin: { from: "meter" } });
    expect(bySum).toMatchObject({ value: 17, old: 11, changedAt: 1234, origin: "local" });
    await graph.close();
  });
});

describe("a getter that throws", () => {
  const Broken = defineSubject("test.derived.Broken", {
    props: { n: p.number().writable() },
    derived: {
      root: (s) => {
        if (s.n < 0) throw new RangeError("below zero");
        return Math.sqrt(s.n);
      },
    },
  });

  // @proves subjects.derived.throw-keeps-last subjects.derived.throw-log-once
  test("keeps its last good value, says error, is logged once, and is tried again at the next write", () => {
    const { graph, root, logged } = openGraph();
    const broken = Broken.create({ n: 4 });
    root.link = broken;
    const changes: string[] = [];
    graph.onChange(({ property, value }) => changes.push(`${property} ${String(value)}`));
    broken.n = -1;
    broken.n = -2;
    expect(broken.root).toBe(2);
    expect(broken.$info.property("root")?.quality).toBe("error");
    expect(graph.get("/link/root@quality")).toBe("error");
    expect(changes).toEqual(["n -1", "root@quality error", "n -2"]);
    expect(logged).toHaveLength(1);
    expect(String(logged[0]?.cause)).toContain("below zero");
    broken.n = 9;
    expect([broken.root, graph.get("/link/root@quality"), broken.$info.property("root")?.quality]).toEqual([
      3,
      "good",
      "good",
    ]);
    expect(changes.slice(3)).toEqual(["n 9", "root@quality good", "root 3"]);
  });

  test("at its very first evaluation has no value and still recovers", () => {
    const { root } = openGraph();
    const broken = Broken.create({ n: -1 });
    root.link = broken;
    expect([broken.root, broken.$info.property("root")?.quality]).toEqual([null, "error"]);
    broken.n = 16;
    expect([broken.root, broken.$info.property("root")?.quality]).toEqual([4, "good"]);
  });
});

// @proves subjects.derived.cycle
test("derived properties in a loop stay null, and the loop is named once", () => {
  const Loop = defineSubject("test.derived.Loop", {
    props: { n: p.number().writable(), open: p.boolean().writable() },
    derived: {
      a: { get: (s) => (s as unknown as { b: number }).b + s.n },
      b: { get: (s): number => (s.open ? 1 : (s as unknown as { a: number }).a + 1) },
    },
  });
  const { root, logged } = openGraph();
  const loop = Loop.create({ n: 1, open: false });
  root.link = loop;
  expect([loop.a, loop.b]).toEqual([null, null]);
  const messages = logged.map(({ cause }) => String(cause));
  expect(
    messages.some((text) =>
      text.includes("in a loop: test.derived.Loop.a → test.derived.Loop.b → test.derived.Loop.a"),
    ),
  ).toBe(true);
  loop.n = 2;
  expect([loop.a, loop.b]).toEqual([null, null]);
  loop.open = true;
  expect([loop.a, loop.b]).toEqual([3, 1]);
});

// @proves subjects.derived.setter
test("after a write through a setter the value is what the getter then returns", async () => {
  const Clamped = defineSubject("test.derived.Clamped", {
    props: { raw: p.number() },
    derived: {
      percent: {
        get: (s) => s.raw / 10,
        set: (s, value: number) => void (s.raw = Math.min(1000, value * 10)),
        property: p.number({ unit: "Percent" }).writable(),
      },
    },
  });
  const { graph, root } = openGraph();
  const clamped = Clamped.create({ raw: 100 });
  root.link = clamped;
  clamped.$set("percent", 500);
  expect([clamped.raw, clamped.percent]).toEqual([1000, 100]);
  await expect(graph.set("/link/percent", "25")).resolves.toMatchObject({
    previous: 100,
    value: 25,
    status: "applied",
  });
  expect(() => room().$set("sum", 4)).toThrow("computed and has no setter");
});

// @proves subjects.derived.recompute-call
test("recompute refreshes a getter that reads outside the graph", () => {
  let outside = 1;
  const Clock = defineSubject("test.derived.Outside", { derived: { reading: () => outside } });
  const { graph, root } = openGraph();
  const subject = Clock.create();
  root.link = subject;
  const heard: unknown[] = [];
  subject.$on("reading", (value) => heard.push(value));
  outside = 2;
  expect(subject.reading).toBe(1);
  graph.recompute(subject, "reading");
  expect([subject.reading, heard]).toEqual([2, [2]]);
  expect(() => graph.recompute(subject, "nothing")).toThrow("no derived property nothing");
});

// @proves subjects.derived.detach-edges
test("detaching removes the edges in both directions", () => {
  const Sum = defineSubject("test.derived.Sum", {
    children: { parts: c.list() },
    derived: { total: (s) => s.parts.reduce((sum, part) => sum + Number(part.$get("value")), 0) },
  });
  const { root } = openGraph();
  const parts = [1, 2, 3].map((value) => {
    const part = thing(`part${value}`);
    part.value = value;
    return part;
  });
  const sum = Sum.create({ parts });
  root.link = sum;
  expect(sum.total).toBe(6);
  const gone = parts[2];
  sum.parts = parts.slice(0, 2);
  expect(sum.total).toBe(3);
  expect(gone === undefined ? undefined : nodeOf(gone).extra?.links).toBeNull();
  root.link = null;
  for (const part of parts) expect(nodeOf(part).extra?.links ?? null).toBeNull();
  expect(nodeOf(sum).extra?.computations).toBeNull();
});

test("a sum over 2 000 children and a chain of 5 000 derived values are settled without recursion", () => {
  const Link = defineSubject("test.derived.Link", {
    props: { own: p.number().writable() },
    children: { next: c.one() },
    derived: { total: (s): number => s.own + Number(s.next?.$get("total") ?? 0) },
  });
  const { graph, root } = openGraph();
  const links = Array.from({ length: 5_000 }, () => Link.create({ own: 1 }));
  links.forEach((link, i) => (link.next = links[i + 1] ?? null));
  const [first] = links;
  root.link = first ?? null;
  expect(first?.total).toBe(5_000);
  const last = links.at(-1);
  if (last !== undefined) last.own = 2;
  expect(first?.total).toBe(5_001);
  graph.onChange(() => {});
  if (last !== undefined) last.own = 3;
  expect(first?.total).toBe(5_002);
});

// @proves subjects.derived.discovery subjects.derived.glitch-free subjects.derived.notify-on-difference
test("against a plain recomputation, any sequence of writes, batches and reads gives the same values and the same changes", () => {
  const SIZE = 6;
  const Cell = defineSubject("test.derived.Cell", {
    props: { n: p.number().writable(), from: p.number().writable(), depth: p.number() },
    derived: { out: (s): number => s.n + (s.from < s.depth ? Number(cells[s.from]?.$get("out")) : 0) },
  });
  let cells: ReturnType<typeof Cell.create>[] = [];
  const write = fc.record({
    at: fc.nat(SIZE - 1),
    n: fc.nat(3),
    from: fc.nat(SIZE),
    read: fc.option(fc.nat(SIZE - 1)),
  });
  fc.assert(
    fc.property(
      fc.array(fc.record({ writes: fc.array(write, { minLength: 1, maxLength: 4 }), inBatch: fc.boolean() }), {
        maxLength: 12,
      }),
      fc.boolean(),
      (rounds, isObserved) => {
        const { graph, root } = openGraph();
        cells = Array.from({ length: SIZE }, (_, i) => Cell.create({ n: i, from: SIZE, depth: i }));
        root.list = cells;
        const expected = (): number[] => {
          const out: number[] = [];
          for (const cell of cells) out.push(cell.n + (cell.from < cell.depth ? (out[cell.from] ?? 0) : 0));
          return out;
        };
        const known = new Map<Subject, unknown>(cells.map((cell) => [cell, cell.out]));
        if (isObserved)
          graph.onChange(({ subject, property, old, value }) => {
            if (property !== "out") return;
            expect(known.get(subject)).toBe(old);
            expect(value).not.toBe(old);
            known.set(subject, value);
          });
        for (const { writes, inBatch } of rounds) {
          const run = (): void => {
            for (const { at, n, from, read } of writes) {
              const cell = cells[at];
              if (cell === undefined) continue;
              cell.n = n;
              cell.from = from;
              if (read !== null) expect(cells[read]?.out).toBe(expected()[read]);
            }
          };
          if (inBatch) graph.batch(run);
          else run();
          if (isObserved) expect([...known.values()]).toEqual(expected());
          expect(cells.map((cell) => cell.out)).toEqual(expected());
        }
      },
    ),
  );
});
