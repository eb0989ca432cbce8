import { seconds } from "@steading/kernel";
import { describe, expect, test } from "vitest";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { openDoor, scriptedSource, Valve } from "../testing/test-sources.ts";
import { isAttached, openGraph, thing } from "../testing/test-graph.ts";
import type { Change } from "./change.ts";

const Band = defineSubject("test.tx.Band", {
  props: { low: p.number({ min: 0, max: 100 }).writable(), high: p.number().writable() },
  derived: { width: (s) => s.high - s.low },
  validate: (state) => (state.low > state.high ? "low is above high" : undefined),
});

function open() {
  const test = openGraph();
  const band = Band.create({ low: 10, high: 20 });
  test.root.link = band;
  return { ...test, band };
}

// @proves subjects.transactions.commit-discard subjects.transactions.pending-private subjects.transactions.derived-landed
test("pending values are seen through the handle only, land together with the last write of each, and vanish on a throw", async () => {
  const { graph, band } = open();
  const changes: unknown[] = [];
  graph.onChange(({ property, old, value }) => changes.push([property, old, value]));
  const result = await graph.transaction({}, async (tx) => {
    tx.set(band, "low", 30);
    tx.set(band, "low", 31);
    tx.set(band, "high", 40);
    expect([tx.get(band, "low"), band.low, band.width]).toEqual([31, 10, 10]);
    await Promise.resolve();
    expect(changes).toEqual([]);
    return "done";
  });
  expect([result, band.low, band.high, band.width]).toEqual(["done", 31, 40, 9]);
  expect(changes).toEqual([
    ["low", 10, 31],
    ["high", 20, 40],
    ["width", 10, 9],
  ]);
  await expect(
    graph.transaction({}, (tx) => {
      tx.set(band, "low", 1);
      throw new Error("changed my mind");
    }),
  ).rejects.toThrow("changed my mind");
  expect(band.low).toBe(31);
});

// @proves subjects.transactions.capture-validates
test("a set through the handle is checked at once", async () => {
  const { graph, band } = open();
  await graph.transaction({}, (tx) => {
    expect(() => tx.set(band, "low", "text")).toThrow("takes number");
    expect(() => tx.set(band, "low", null)).toThrow("cannot be null");
    expect(() => tx.set(band, "width", 3)).toThrow("is computed");
    expect(() => tx.set(band, "nothing", 3)).toThrow("no property nothing");
    tx.set(band, "low", 300); // an owner is not held to the range
    tx.set(band, "low", 12);
  });
  expect(band.low).toBe(12);
  await graph.transaction({ outside: true }, (tx) => {
    expect(() => tx.set(band, "low", 300)).toThrow("must be at most 100");
    tx.set(band, "low", "13");
    expect(tx.get(band, "low")).toBe(13);
  });
  expect(band.low).toBe(13);
});

// @proves subjects.transactions.validate-whole
test("the final state is judged as a whole, whatever the order of the writes", async () => {
  const { graph, band } = open();
  await graph.transaction({}, (tx) => {
    tx.set(band, "low", 50); // above the present high
    tx.set(band, "high", 60);
  });
  expect([band.low, band.high]).toEqual([50, 60]);
  const wrong = graph.transaction({}, (tx) => {
    tx.set(band, "high", 5);
    tx.set(band, "low", 6);
  });
  await expect(wrong).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  expect([band.low, band.high]).toEqual([50, 60]);
});

// @proves subjects.transactions.conflict-revision subjects.transactions.retryable subjects.error.conflict
test("a conflict is found by revision, also when the value came back, and touches nothing", async () => {
  const { graph, band } = open();
  const conflicted = graph.transaction({}, async (tx) => {
    tx.set(band, "low", 15);
    await Promise.resolve();
    band.low = 11;
    band.low = 10;
  });
  await expect(conflicted).rejects.toMatchObject({
    code: "CONFLICT",
    retryable: true,
    details: { properties: ["test.tx.Band.low"], state: "failed-retryable" },
  });
  expect(band.low).toBe(10);
  const byReading = graph.transaction({}, async (tx) => {
    tx.set(band, "high", Number(tx.get(band, "low")) + 20);
    await Promise.resolve();
    band.low = 12;
  });
  await expect(byReading).rejects.toMatchObject({ code: "CONFLICT" });
});

// @proves subjects.transactions.defaults
test("by default conflicts fail and several sources are allowed; ignoring conflicts and single writes can be chosen", async () => {
  const { graph, band } = open();
  await graph.transaction({ conflict: "ignore" }, async (tx) => {
    tx.set(band, "low", 15);
    await Promise.resolve();
    band.low = 11;
  });
  expect(band.low).toBe(15);
  const valves = [Valve.create({ target: 1 }), Valve.create({ target: 1 })];
  const sources = valves.map((valve) => scriptedSource({ writes: "mirror", valve }));
  await Promise.all(sources.map((source, i) => graph.addSource(`s${i}`, source, { mount: `/m${i}` }).start()));
  await graph.transaction({}, (tx) => valves.forEach((valve) => tx.set(valve, "target", 2)));
  expect(valves.map(({ target }) => target)).toEqual([2, 2]);
  const two = graph.transaction({ singleWrite: true }, (tx) => valves.forEach((valve) => tx.set(valve, "target", 3)));
  await expect(two).rejects.toThrow("must reach a single source");
  await graph.transaction({ singleWrite: true }, (tx) => valves[0] !== undefined && tx.set(valves[0], "target", 3));
  expect(valves.map(({ target }) => target)).toEqual([3, 2]);
  await graph.close();
});

// @proves subjects.transactions.exclusive
test("an exclusive transaction waits at its beginning for the one before", async () => {
  const { graph, band } = open();
  const order: string[] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const first = graph.transaction({ locking: "exclusive" }, async (tx) => {
    order.push("first begins");
    tx.set(band, "low", 11);
    await held;
    order.push("first ends");
  });
  const second = graph.transaction({ locking: "exclusive" }, (tx) => {
    order.push(`second sees ${String(tx.get(band, "low"))}`);
    tx.set(band, "low", 12);
  });
  await Promise.resolve();
  release();
  await Promise.all([first, second]);
  expect([order, band.low]).toEqual([["first begins", "first ends", "second sees 11"], 12]);
  await expect(graph.transaction({ locking: "exclusive" }, () => Promise.reject(new Error("no")))).rejects.toThrow(
    "no",
  );
  await graph.transaction({ locking: "exclusive" }, (tx) => tx.set(band, "low", 13));
  expect(band.low).toBe(13);
});

// @proves subjects.transactions.no-nesting
test("a transaction inside another is an error, and a handle is dead afterwards", async () => {
  const { graph, band } = open();
  let kept: { set: (subject: typeof band, name: string, value: unknown) => void } | undefined;
  await graph.transaction({}, async (tx) => {
    kept = tx;
    await Promise.resolve();
    await expect(graph.transaction({}, () => {})).rejects.toMatchObject({ code: "TRANSACTION_STATE" });
  });
  expect(() => kept?.set(band, "low", 1)).toThrow("is over");
  await expect(graph.transaction({}, () => "fine")).resolves.toBe("fine");
});

test("children move in a transaction too", async () => {
  const { graph, root, band } = open();
  const a = thing("a");
  await graph.transaction({}, (tx) => {
    tx.set(root, "other", a);
    tx.set(root, "link", null);
    expect(isAttached(graph, a, band)).toEqual([false, true]);
  });
  expect(isAttached(graph, a, band)).toEqual([true, false]);
});

describe("with sources", () => {
  async function mirrored() {
    const test = openGraph();
    const valve = Valve.create({ target: 1, open: false, mode: "auto" });
    const source = scriptedSource({ writes: "mirror", valve });
    source.snapshot = [
      { path: "valve/target", value: 1 },
      { path: "valve/open", value: false },
      { path: "valve/mode", value: "auto" },
    ];
    await test.graph.addSource("m", source, { mount: "/m" }).start();
    const changes: Change[] = [];
    test.graph.onChange((change) => changes.push(change));
    return { ...test, valve, source, changes };
  }

  // @proves subjects.transactions.sources-first subjects.transactions.apply-one-batch
  test("sources are written before the model, which lands in one batch as confirmed", async () => {
    const { graph, valve, source, changes } = await mirrored();
    source.answer = () => {
      expect([valve.target, valve.open]).toEqual([1, false]);
      return { failed: [] };
    };
    await graph.transaction({}, (tx) => {
      tx.set(valve, "target", 5);
      tx.set(valve, "open", true);
      tx.set(valve, "label", "mine");
    });
    expect(source.written.map((batch) => batch.map(({ property, old, value }) => [property, old, value]))).toEqual([
      [
        ["target", 1, 5],
        ["open", false, true],
      ],
    ]);
    expect(changes.map(({ property, origin }) => [property, origin])).toEqual([
      ["label", "local"],
      ["target", { confirmedBy: "m" }],
      ["open", { confirmedBy: "m" }],
      ["half", "local"],
    ]);
    await graph.close();
    expect(source.written).toHaveLength(1); // not sent back again
  });

  // @proves subjects.transactions.rollback subjects.transactions.error-object
  test("on rollback what was written is reverted at its source, and nothing is applied", async () => {
    const { graph, valve, source, changes } = await mirrored();
    const other = Valve.create({ target: 7 });
    const second = scriptedSource({ writes: "mirror", valve: other });
    await graph.addSource("n", second, { mount: "/n" }).start();
    changes.length = 0;
    second.answer = (all) => ({ failed: all, error: new Error("n is stubborn") });
    const failing = graph.transaction({}, (tx) => {
      tx.set(valve, "target", 5);
      tx.set(other, "target", 8);
      tx.set(valve, "label", "mine");
    });
    await expect(failing).rejects.toMatchObject({
      code: "TRANSACTION_FAILED",
      retryable: false,
      details: {
        state: "failed-final",
        applied: [],
        failed: ["/n/valve/target"],
        reverted: ["/m/valve/target"],
        notReverted: [],
        errors: ["n is stubborn"],
      },
    });
    expect(source.written.map((batch) => batch.map(({ value }) => value))).toEqual([[5], [1]]);
    expect([valve.target, other.target, valve.label, changes]).toEqual([1, 7, null, []]);

    source.answer = (all) => (all[0]?.value === 1 ? { failed: all, error: new Error("stuck") } : { failed: [] });
    const stuck = graph.transaction({}, (tx) => {
      tx.set(valve, "target", 6);
      tx.set(other, "target", 9);
    });
    await expect(stuck).rejects.toMatchObject({
      details: { reverted: [], notReverted: ["/m/valve/target"], errors: ["n is stubborn", "stuck"] },
    });
    await graph.close();
  });

  // @proves subjects.transactions.best-effort
  test("with bestEffort the accepted are kept and the rejected are not", async () => {
    const { graph, valve, source } = await mirrored();
    source.answer = (all) => ({ failed: all.filter(({ property }) => property === "open"), error: new Error("no") });
    const partly = graph.transaction({ onFailure: "bestEffort" }, (tx) => {
      tx.set(valve, "target", 5);
      tx.set(valve, "open", true);
    });
    await expect(partly).rejects.toMatchObject({
      code: "TRANSACTION_FAILED",
      details: { applied: ["/m/valve/target"], failed: ["/m/valve/open"] },
    });
    expect([valve.target, valve.open]).toEqual([5, false]);
    await graph.close();
  });

  // @proves subjects.transactions.timeout-scope
  test("the timeout covers source writes, not the body", async () => {
    const { graph, valve, source, clock } = await mirrored();
    const done = graph.transaction({ timeoutMs: 1_000 }, async (tx) => {
      tx.set(valve, "target", 5);
      await clock.sleep(seconds(60));
    });
    await clock.advance(seconds(60));
    await done;
    expect(valve.target).toBe(5);
    source.answer = () => new Promise(() => {});
    const hanging = expect(
      graph.transaction({ timeoutMs: 1_000 }, (tx) => tx.set(valve, "target", 6)),
    ).rejects.toMatchObject({
      code: "TRANSACTION_FAILED",
      details: { errors: ["The source did not answer within 1000 ms."] },
    });
    await clock.advance(seconds(3));
    await hanging;
    expect(valve.target).toBe(5);
    source.answer = () => ({ failed: [] });
    await graph.close();
  });

  // @proves subjects.transactions.sources-first
  test("door-owned properties go through the door, and without one the error says so", async () => {
    const { graph } = openGraph();
    const valve = Valve.create({ target: 1, open: false });
    const source = scriptedSource({ valve });
    await graph.addSource("d", source, { mount: "/d" }).start();
    await expect(graph.transaction({}, (tx) => tx.set(valve, "target", 5))).rejects.toMatchObject({
      code: "DOOR_NEEDED",
    });
    const door = openDoor(source);
    const origins: unknown[] = [];
    graph.onChange(({ property, origin }) => origins.push([property, origin]));
    await graph.transaction({ perform: door.perform }, (tx) => {
      tx.set(valve, "target", 5);
      tx.set(valve, "open", true);
    });
    expect(door.effects.map((effect) => effect.arguments)).toEqual([
      { path: "/d/valve/target", value: 5, previous: 1 },
      { path: "/d/valve/open", value: true, previous: false },
    ]);
    expect([valve.target, valve.open]).toEqual([5, true]);
    expect(origins.filter((each) => Array.isArray(each) && each[0] !== "half")).toEqual([
      ["target", { from: "d" }],
      ["open", { from: "d" }],
    ]);
    const refused = openDoor(source, "failed");
    await expect(
      graph.transaction({ perform: refused.perform }, (tx) => tx.set(valve, "target", 6)),
    ).rejects.toMatchObject({ details: { errors: ["device failed"] } });
    expect(valve.target).toBe(5);
    const two = graph.transaction({ perform: door.perform, singleWrite: true }, (tx) => {
      tx.set(valve, "target", 8);
      tx.set(valve, "open", false);
    });
    await expect(two).rejects.toThrow("one write at a time");
    await graph.close();
    await expect(
      graph.transaction({ perform: door.perform }, (tx) => tx.set(valve, "target", 9)),
    ).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
  });
});
