import { millis, seconds } from "@steading/kernel";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { openGraph, thing } from "../testing/test-graph.ts";
import { createChangeBuffer } from "./change-buffer.ts";
import type { Change, ChangeStream, StructureStream } from "./change.ts";

const Sensor = defineSubject("test.changes.Sensor", {
  props: { t: p.number().writable(), u: p.number().writable(), door: p.boolean().writable().discrete() },
});

function open() {
  const test = openGraph();
  const sensor = Sensor.create({ t: 0, u: 0, door: false });
  test.root.link = sensor;
  return { ...test, sensor };
}

// @proves subjects.changes.record subjects.changes.revision
test("a change record holds subject, property, values, revision, times and origin, and revisions order the whole graph", () => {
  const { graph, root, sensor, clock } = open();
  const other = Sensor.create({ t: 0, u: 0, door: false });
  root.other = other;
  const changes: Change[] = [];
  graph.onChange((change) => changes.push(change));
  sensor.t = 1;
  other.t = 2;
  sensor.u = 3;
  const at = clock.now();
  expect(changes[0]).toEqual({
    subject: sensor,
    property: "t",
    old: 0,
    value: 1,
    quality: "good",
    revision: changes[0]?.revision,
    changedAt: at,
    receivedAt: at,
    origin: "local",
  });
  const revisions = changes.map(({ revision }) => revision);
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  expect(new Set(revisions).size).toBe(3);
  expect(graph.revision).toBe(revisions.at(-1));
});

// @proves subjects.changes.on-sync
test("listeners of a property and of the graph run inside the write, after the value is committed", () => {
  const { graph, sensor } = open();
  const order: string[] = [];
  sensor.$on("t", (value, old) => order.push(`property ${old}→${value} reads ${sensor.t}`));
  graph.onChange(({ value }) => order.push(`graph ${String(value)} reads ${sensor.t}`));
  sensor.t = 5;
  order.push("after");
  expect(order).toEqual(["property 0→5 reads 5", "graph 5 reads 5", "after"]);
});

test("a listener taken back hears nothing more, and the same function may be given twice", () => {
  const { sensor } = open();
  const heard: number[] = [];
  const listener = (value: unknown): void => void heard.push(value as number);
  const [first, second] = [sensor.$on("t", listener), sensor.$on("t", listener)];
  sensor.t = 1;
  first();
  first();
  sensor.t = 2;
  second();
  sensor.t = 3;
  expect(heard).toEqual([1, 1, 2]);
});

// @proves subjects.changes.listener-isolated
test("a listener that throws is logged; the writer and the others go on", () => {
  const { graph, sensor, logged } = open();
  const heard: string[] = [];
  sensor.$on("t", () => {
    throw new Error("clumsy");
  });
  sensor.t = 1;
  sensor.$on("t", () => heard.push("second"));
  graph.onChange(() => {
    throw new Error("clumsy too");
  });
  graph.onChange(() => heard.push("graph"));
  sensor.t = 2;
  expect([sensor.t, heard]).toEqual([2, ["second", "graph"]]);
  expect(logged.map(({ cause }) => String(cause))).toEqual(["Error: clumsy", "Error: clumsy", "Error: clumsy too"]);
});

// @proves subjects.changes.reentrant
test("what a listener writes is told after the current change", () => {
  for (const isObserved of [false, true]) {
    const { graph, sensor } = open();
    const order: string[] = [];
    sensor.$on("t", (value) => {
      order.push(`t ${value} first`);
      if (value === 1) {
        sensor.u = 10;
        sensor.u = 11;
        expect(sensor.u).toBe(11);
      }
    });
    sensor.$on("t", (value) => order.push(`t ${value} second`));
    sensor.$on("u", (value) => order.push(`u ${value}`));
    if (isObserved) graph.onChange(({ property, value }) => order.push(`graph ${property} ${String(value)}`));
    sensor.t = 1;
    const expected = ["t 1 first", "t 1 second", "graph t 1", "u 10", "graph u 10", "u 11", "graph u 11"];
    expect(order).toEqual(isObserved ? expected : expected.filter((line) => !line.startsWith("graph")));
  }
});

// @proves subjects.error.listener-loop
test("listeners that answer each other for ever raise LISTENER_LOOP, which names the properties", () => {
  for (const isObserved of [false, true]) {
    const { graph, sensor } = open();
    sensor.$on("t", (value) => (sensor.u = value + 1));
    sensor.$on("u", (value) => (sensor.t = value + 1));
    if (isObserved) graph.onChange(() => {});
    let raised: unknown;
    try {
      sensor.t = 1;
    } catch (error) {
      raised = error;
    }
    expect(raised).toMatchObject({
      code: "LISTENER_LOOP",
      details: { properties: expect.arrayContaining(["t", "u"]) },
    });
    expect(sensor.t).toBeLessThan(110);
    // The graph works on afterwards.
    const quiet = Sensor.create({ t: 0, u: 0, door: false });
    graph.attach("/", "quiet", quiet);
    const heard: unknown[] = [];
    quiet.$on("t", (value) => heard.push(value));
    quiet.t = 4;
    expect(heard).toEqual([4]);
  }
});

test("a hundred answers in a row are still fine", () => {
  const { sensor } = open();
  sensor.$on("t", (value) => {
    if (value < 100) sensor.t = value + 1;
  });
  sensor.t = 1;
  expect(sensor.t).toBe(100);
});

// @proves subjects.changes.dynamic-added
test("a dynamic property comes as a change from nothing", () => {
  const { graph, sensor } = open();
  const changes: unknown[] = [];
  graph.onChange(({ property, old, value }) => changes.push([property, old, value]));
  graph.registry.addProperty(sensor, "extra", p.number(), 4);
  expect(changes).toEqual([["extra", undefined, 4]]);
});

test("a batch that brings a value back to where it was tells nobody, and one that throws tells what it did", () => {
  const { graph, sensor } = open();
  const changes: unknown[] = [];
  graph.onChange(({ property, old, value }) => changes.push([property, old, value]));
  graph.batch(() => {
    sensor.t = 5;
    sensor.t = 0;
  });
  expect(changes).toEqual([]);
  expect(() =>
    graph.batch(() => {
      sensor.t = 6;
      throw new Error("half way");
    }),
  ).toThrow("half way");
  expect(changes).toEqual([["t", 0, 6]]);
});

// @proves subjects.changes.discrete
test("every transition of a discrete property is told, also from a batch", () => {
  const { graph, sensor } = open();
  const heard: unknown[] = [];
  sensor.$on("door", (value) => heard.push(value));
  graph.batch(() => {
    sensor.door = true;
    sensor.door = false;
    sensor.door = true;
  });
  expect(heard).toEqual([true, false, true]);
});

describe("the change stream", () => {
  async function next(stream: ChangeStream | StructureStream): Promise<readonly Change[]> {
    const { value } = (await stream.next()) as { value: readonly Change[] };
    return value;
  }

  // @proves subjects.changes.stream-coalesce subjects.changes.discrete
  test("merges changes of one property: oldest old, newest value; discrete ones one by one", async () => {
    const { graph, sensor, clock } = open();
    const stream = graph.changes();
    for (const t of [1, 2, 3]) sensor.t = t;
    for (const door of [true, false, true]) sensor.door = door;
    sensor.u = 9;
    const batch = next(stream);
    await clock.advance(millis(8));
    expect((await batch).map(({ property, old, value }) => [property, old, value])).toEqual([
      ["t", 0, 3],
      ["door", false, true],
      ["door", true, false],
      ["door", false, true],
      ["u", 0, 9],
    ]);
    expect(stream.dropped).toBe(0);
    await stream.return?.();
    expect(clock.pending).toBe(0);
  });

  test("waits for its buffer time, filters, and ends when it is left", async () => {
    const { graph, sensor, clock } = open();
    const seen: unknown[] = [];
    const done = (async () => {
      for await (const batch of graph.changes({ filter: ({ property }) => property === "t", bufferMs: 50 })) {
        seen.push(...batch.map(({ value }) => value));
        if (seen.includes(2)) break;
      }
    })();
    sensor.u = 5;
    sensor.t = 1;
    await clock.advance(millis(49));
    expect(seen).toEqual([]);
    await clock.advance(millis(1));
    expect(seen).toEqual([1]);
    sensor.t = 2;
    await clock.advance(millis(50));
    await done;
    sensor.t = 3;
    expect([seen, clock.pending]).toEqual([[1, 2], 0]);
  });

  // @proves subjects.changes.stream-bounded subjects.changes.drop-settled
  test("is bounded: the oldest that may be merged is given up and counted, and its settled value comes in its place", async () => {
    const { graph, root, clock } = open();
    const sensors = Array.from({ length: 5 }, () => Sensor.create({ t: 0, u: 0, door: false }));
    root.list = sensors;
    const stream = graph.changes({ maxPending: 3 });
    sensors.forEach((sensor, i) => (sensor.t = i + 1));
    expect([stream.pending, stream.dropped]).toEqual([3, 2]);
    const first = sensors[0];
    if (first !== undefined) first.u = 7;
    const batch = next(stream);
    await clock.advance(millis(8));
    const told = new Map(
      (await batch).map(({ subject, property, old, value }) => [
        `${sensors.indexOf(subject as never)} ${property}`,
        [old, value],
      ]),
    );
    expect(told.get("0 t")).toEqual([undefined, 1]);
    expect(told.get("4 t")).toEqual([0, 5]);
    expect(sensors.every((sensor, i) => told.get(`${i} t`)?.[1] === sensor.t)).toBe(true);
    stream.close();
  });

  // @proves subjects.changes.drop-settled subjects.changes.stream-bounded
  test("whatever is offered and whenever it is taken, the reader ends up with what the model holds", () => {
    const offer = fc.record({ at: fc.nat(7), discrete: fc.boolean(), value: fc.nat(5), take: fc.boolean() });
    fc.assert(
      fc.property(fc.array(offer, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (offers, limit) => {
        const subjects = Array.from({ length: 8 }, (_, i) => thing(`s${i}`));
        const model = new Map<unknown, number>();
        const reader = new Map<unknown, unknown>();
        let revision = 0;
        const record = (subject: Change["subject"], old: unknown, value: number): Change => ({
          subject,
          property: "x",
          old,
          value,
          quality: "good",
          revision: ++revision,
          changedAt: 0,
          receivedAt: 0,
          origin: "local",
        });
        const buffer = createChangeBuffer(limit, (subject) => record(subject, undefined, model.get(subject) ?? 0));
        const take = (): void => {
          expect(buffer.size).toBeLessThanOrEqual(limit);
          for (const { subject, old, value } of buffer.take()) {
            if (old !== undefined) expect(reader.get(subject) ?? 0).toBe(old);
            reader.set(subject, value);
          }
        };
        for (const { at, value, take: isTaken } of offers) {
          const subject = subjects[at];
          if (subject === undefined) continue;
          const old = model.get(subject) ?? 0;
          if (old === value) continue;
          model.set(subject, value);
          buffer.offer(record(subject, old, value), false);
          if (isTaken) take();
        }
        take();
        for (const [subject, value] of model) expect(reader.get(subject) ?? 0).toBe(value);
      }),
    );
  });

  test("the graph's close ends its streams", async () => {
    const { graph } = open();
    const stream = graph.changes();
    const structure = graph.structure();
    const ended = Promise.all([stream.next(), structure.next()]);
    await graph.close();
    expect((await ended).map(({ done }) => done)).toEqual([true, true]);
  });
});

describe("the structure stream", () => {
  // @proves subjects.changes.stream-bounded
  test("tells attach, detach and moves with their paths, and counts what it had to give up", async () => {
    const { graph, root, clock } = open();
    const structure = graph.structure({ maxPending: 4 });
    const a = thing("a");
    root.other = a;
    root.map = new Map([["k", a]]);
    root.other = null;
    root.map = new Map();
    const pending = structure.next() as Promise<{ value: readonly { kind: string; path: string | null }[] }>;
    await clock.advance(seconds(1));
    expect((await pending).value.map(({ kind, path }) => [kind, path])).toEqual([
      ["attached", "/other"],
      ["referenceAdded", "/other"],
      ["referenceRemoved", "/map[k]"],
      ["detached", "/map[k]"],
    ]);
    for (let i = 0; i < 6; i++) root.other = thing(`b${i}`);
    expect([structure.pending, structure.dropped > 0]).toEqual([4, true]);
    structure.close();
  });
});
