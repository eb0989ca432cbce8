import { describe, expect, test } from "vitest";
import * as z from "zod";
import { isSubject, nodeOf } from "../instance/held.ts";
import { toSignal } from "../instance/to-signal.ts";
import type { SubjectInfo } from "../info/subject-info.ts";
import { nameOf, openGraph, thing } from "../testing/test-graph.ts";
import { c } from "./c.ts";
import { defineInterface } from "./define-interface.ts";
import { defineSubject } from "./define-subject.ts";
import { m } from "./m.ts";
import { p } from "./p.ts";

function names(info: SubjectInfo): string[] {
  return [...info.properties()].map(({ name }) => name);
}

describe("definitions that are refused", () => {
  // @proves subjects.model.property-name
  test("names that start with a dollar sign or contain an at sign", () => {
    expect(() => defineSubject("test.define.A", { props: { $x: p.number() } })).toThrow("starts with $");
    expect(() => defineSubject("test.define.A", { props: { "a@b": p.number() } })).toThrow("contains @");
    expect(() => defineSubject("test.define.A", { children: { $kids: c.map() } })).toThrow("starts with $");
    expect(() => defineSubject("test.define.A", { props: { "": p.number() } })).toThrow("1 to 200 characters");
    expect(() => defineInterface("test.define.I", { props: { $x: p.number() } })).toThrow("starts with $");
  });

  // @proves subjects.model.property-name-unique
  test("two slots of one name", () => {
    expect(() => defineSubject("test.define.B", { props: { x: p.number() }, children: { x: c.one() } })).toThrow(
      "two properties are called x",
    );
    expect(() => defineSubject("test.define.B", { props: { x: p.number() }, derived: { x: () => 1 } })).toThrow(
      "two properties are called x",
    );
    expect(() =>
      defineSubject("test.define.B", { props: { x: p.number() }, methods: { x: m.query({}, () => 1) } }),
    ).toThrow("both a property and a method");
  });

  // @proves subjects.model.no-overloads subjects.methods.async-suffix
  test("two methods of one name, after the trailing Async is dropped", () => {
    expect(() =>
      defineSubject("test.define.C", { methods: { read: m.query({}, () => 1), readAsync: m.query({}, () => 2) } }),
    ).toThrow("two methods are called read");
    const One = defineSubject("test.define.C1", { methods: { refreshAsync: m.operation({}, () => 1) } });
    expect([...One.create().$info.methods()].map(({ name }) => name)).toEqual(["refresh"]);
  });

  // @proves subjects.facets.secret-state-error
  test("a secret that is state, said or by default", () => {
    expect(() => defineSubject("test.define.D", { props: { pin: p.string().secret() } })).toThrow(
      "a secret cannot be state",
    );
    expect(() => defineSubject("test.define.D", { props: { pin: p.string({ secret: true, role: "state" }) } })).toThrow(
      "a secret cannot be state",
    );
    expect(() => defineSubject("test.define.D", { props: { pin: p.string().config().secret() } })).not.toThrow();
  });

  // @proves subjects.children.one-inline
  test("a second inline child property", () => {
    const inline = { inline: true };
    expect(() =>
      defineSubject("test.define.E", { children: { a: c.map(undefined, inline), b: c.map(undefined, inline) } }),
    ).toThrow("only one child property can be inline");
    expect(() => defineSubject("test.define.E", { children: { a: c.list(undefined, inline) } })).toThrow(
      "only a map can be",
    );
  });

  // @proves subjects.units.no-free-text
  test("free text for a unit", () => {
    expect(() => defineSubject("test.define.F", { props: { t: p.number({ unit: "°C" }) } })).toThrow("no known unit");
    expect(() => defineSubject("test.define.F", { props: { t: p.number({ unit: "custom:furlong" }) } })).not.toThrow();
  });

  test("limits that contradict each other, and segments that could not be printed", () => {
    expect(() => defineSubject("test.define.G", { props: { t: p.number({ min: 5, max: 1 }) } })).toThrow(
      "min is above max",
    );
    expect(() => defineSubject("test.define.G", { props: { t: p.number({ step: 0 }) } })).toThrow(
      "step must be above 0",
    );
    for (const segment of ["", "$x", "a@b"])
      expect(() => defineSubject("test.define.G", { props: { t: p.number().path(segment) } })).toThrow("path segment");
  });

  // @proves subjects.model.type-names-unique
  test("names that are not full and dotted, and one name for two definitions in one graph", () => {
    for (const name of ["Lamp", "", "a..b", "a b.c", ".a", "a."])
      expect(() => defineSubject(name, {})).toThrow("full and dotted");
    const First = defineSubject("test.define.Same", { props: { a: p.number() } });
    const Second = defineSubject("test.define.Same", { props: { b: p.number() } });
    const { graph, root } = openGraph();
    root.link = First.create();
    expect(() => (root.other = Second.create())).toThrow("Two different definitions are called test.define.Same");
    expect(root.other).toBeNull();
    expect(graph.registry.count).toBe(2);
  });
});

describe("facets", () => {
  // @proves subjects.facets.merge
  test("what a type leaves unset comes from its interfaces in declaration order", () => {
    const First = defineInterface("test.facets.First", { props: { t: p.number({ unit: "Kelvin", title: "first" }) } });
    const Second = defineInterface("test.facets.Second", {
      props: { t: p.number({ unit: "DegreeCelsius", min: -40, title: "second" }) },
    });
    const Probe = defineSubject("test.facets.Probe", {
      implements: [First, Second],
      props: { t: p.number({ position: 3, title: "own" }) },
    });
    expect(Probe.create().$info.property("t")?.facets).toEqual({ unit: "Kelvin", min: -40, position: 3, title: "own" });
  });

  // @proves subjects.facets.position-order
  test("positioned properties come first, in that order", () => {
    const Placed = defineSubject("test.facets.Placed", {
      props: { last: p.number(), second: p.number().position(2), alsoLast: p.number(), first: p.number().position(1) },
    });
    expect(names(Placed.create().$info)).toEqual(["first", "second", "last", "alsoLast"]);
  });

  // @proves subjects.facets.enum-order subjects.types.enum
  test("members of an enum are told in the order they were declared", () => {
    const Moded = defineSubject("test.facets.Moded", { props: { mode: p.enum(["off", "heat", "auto", "boost"]) } });
    const info = Moded.create({ mode: "heat" }).$info.property("mode");
    expect([info?.facets.enum, info?.type, info?.value]).toEqual([["off", "heat", "auto", "boost"], "string", "heat"]);
  });

  // @proves subjects.facets.writable-outsiders
  test("writable is false unless said and restrains outsiders only", async () => {
    const Probe = defineSubject("test.facets.Owned", {
      props: { t: p.number() },
      methods: { reset: m.operation({}, (s) => void (s.t = 0)) },
    });
    const { graph, root } = openGraph();
    const probe = Probe.create({ t: 5 });
    root.link = probe;
    await expect(graph.set("/link/t", 6)).rejects.toMatchObject({ code: "PROPERTY_NOT_WRITABLE" });
    expect(probe.t).toBe(5);
    probe.$set("t", 7);
    expect(probe.t).toBe(7);
    probe.$info
      .method("reset")
      ?.invoke({}, { signal: new AbortController().signal, log: graph.log, services: graph.services });
    expect(probe.t).toBe(0);
  });

  // @proves subjects.facets.equals-default
  test("a write that changes nothing emits nothing and leaves the revision alone", () => {
    const Equal = defineSubject("test.facets.Equal", {
      props: {
        n: p.number(),
        list: p.list(p.number()),
        near: p.number().equals((a, b) => Math.abs(a - b) < 0.5),
        text: p.string(),
      },
    });
    const { graph, root } = openGraph();
    const list = [1];
    const subject = Equal.create({ n: 0, list, near: 1, text: "a" });
    root.link = subject;
    const changes: string[] = [];
    graph.onChange(({ property }) => changes.push(property));
    const before = graph.revision;
    subject.$set("n", -0);
    subject.$set("list", list);
    subject.$set("near", 1.2);
    subject.$set("text", "a");
    expect([graph.revision, changes]).toEqual([before, []]);
    subject.$set("n", Number.NaN);
    subject.$set("n", Number.NaN);
    subject.$set("list", [1]);
    subject.$set("near", 2);
    expect([graph.revision - before, changes]).toEqual([3, ["n", "list", "near"]]);
  });

  // @proves subjects.types.plain-names subjects.types.integer subjects.types.temporal subjects.types.nullable-underlying subjects.types.child-no-value-type
  test("types show under their JSON names, nullable ones by what lies beneath", () => {
    const All = defineSubject("test.facets.All", {
      props: {
        text: p.string().nullable(),
        id: p.uuid(),
        link: p.url(),
        n: p.number(),
        i: p.integer(),
        b: p.boolean(),
        at: p.dateTime(),
        day: p.date(),
        clock: p.time(),
        span: p.duration(),
        raw: p.bytes(),
        items: p.list(p.string()),
        bag: p.record(),
        any: p.unknown(),
      },
      children: { kids: c.list() },
    });
    const shown = [...All.create().$info.properties()].map(({ name, type, format, valueType }) => [
      name,
      valueType && type,
      format,
    ]);
    expect(shown).toEqual([
      ["text", "string", undefined],
      ["id", "string", "uuid"],
      ["link", "string", "uri"],
      ["n", "number", undefined],
      ["i", "integer", undefined],
      ["b", "boolean", undefined],
      ["at", "string", "date-time"],
      ["day", "string", "date"],
      ["clock", "string", "time"],
      ["span", "string", "duration"],
      ["raw", "string", "byte"],
      ["items", "array", undefined],
      ["bag", "object", undefined],
      ["any", "object", undefined],
      ["kids", undefined, undefined],
    ]);
  });
});

describe("subjects", () => {
  const Meter = defineSubject("test.define.Meter", { props: { kwh: p.number({ unit: "KilowattHour" }).cumulative() } });

  // @proves subjects.model.identity
  test("equal content does not make two subjects one", () => {
    const [a, b] = [Meter.create({ kwh: 1 }), Meter.create({ kwh: 1 })];
    expect(a).not.toBe(b);
    expect(a.$id).not.toBe(b.$id);
    const id = a.$id;
    a.$set("kwh", 2);
    expect(a.$id).toBe(id);
  });

  // @proves subjects.api.create-attach
  test("a subject is made from initial values and attached by parent path and key", () => {
    const { graph, root } = openGraph();
    const meter = Meter.create({ kwh: 3 });
    graph.attach("/", "cellar", meter);
    expect([meter.$path, meter.$type, graph.get("/cellar/kwh")]).toEqual(["/cellar", "test.define.Meter", 3]);
    graph.attach("/", "link", thing("one"));
    expect(root.link?.$get("name")).toBe("one");
    graph.attach("/list", 0, thing("item"));
    expect(graph.find("/list[0]")?.$get("name")).toBe("item");
    expect(() => graph.attach("/cellar", "x", thing("x"))).toThrow("neither a child called x nor an inline map");
    expect(() => graph.attach("/nowhere", "x", thing("x"))).toThrow("nowhere");
    expect(() => graph.attach("/name", "x", thing("x"))).toThrow("nothing can be attached");
    // @ts-expect-error there is no such property
    expect(() => Meter.create({ kw: 1 })).toThrow("has no property kw");
    // @ts-expect-error text for a number
    expect(() => Meter.create({ kwh: "1" })).toThrow("takes number");
  });

  // @proves subjects.api.dollar-members
  test("a property may have any name that does not start with a dollar sign", () => {
    const props = Object.fromEntries(
      ["constructor", "toString", "hold", "node", "id", "path", "type", "__proto__", "with space"].map((name) => [
        name,
        p.number(),
      ]),
    );
    Object.defineProperty(props, "__proto__", { value: p.number(), enumerable: true });
    const Odd = defineSubject("test.define.Odd", { props });
    const odd = Odd.create();
    for (const name of Object.keys(props)) {
      odd.$set(name, 4);
      expect(odd.$get(name)).toBe(4);
    }
    expect(Object.keys(odd)).toEqual([]);
    expect(odd.$type).toBe("test.define.Odd");
  });

  // @proves subjects.api.no-proxy
  test("subjects are plain objects of one shape with accessors on their prototype", () => {
    const meter = Meter.create({ kwh: 1 });
    expect(Object.getOwnPropertyNames(meter)).toEqual([]);
    const accessor = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(meter), "kwh");
    expect(accessor?.get?.call(meter)).toBe(1);
    expect(isSubject(meter)).toBe(true);
    expect(isSubject({ ...meter })).toBe(false);
  });

  // @proves subjects.api.adapters
  test("a class extending the definition's class is a subject, and toSignal follows a property", () => {
    class Smart extends Meter.class {
      bump(): void {
        this.$set("kwh", (this.kwh ?? 0) + 1);
      }
    }
    const { graph, root } = openGraph();
    const smart = new Smart({ kwh: 1 });
    root.link = smart;
    const signal = toSignal(smart, "kwh");
    const seen: unknown[] = [];
    const stop = signal.subscribe((value) => seen.push(value));
    smart.bump();
    signal.value = 10;
    stop();
    smart.bump();
    expect([seen, signal.value, signal.peek()]).toEqual([[1, 2, 10], 11, 11]);
    expect([Meter.is(smart), graph.get("/link/kwh")]).toEqual([true, 11]);
  });

  // @proves subjects.api.runtime-definitions subjects.api.structural-memo
  test("definitions made from data share one type when name and structure are equal", () => {
    const make = (unit: string) =>
      defineSubject("test.define.FromData", {
        props: Object.fromEntries(["a", "b"].map((name) => [name, p.number({ unit })])),
      });
    const [first, again, other] = [make("Watt"), make("Watt"), make("Volt")];
    expect(first).toBe(again);
    expect(first).not.toBe(other);
    expect(nodeOf(first.create()).layout).toBe(nodeOf(again.create()).layout);
  });

  // @proves subjects.api.json-schema
  test("a definition yields JSON Schema for its properties and the inputs of its methods", () => {
    const Heater = defineSubject("test.define.Heater", {
      props: {
        target: p.number({ min: 5, max: 30, step: 0.5 }).writable(),
        mode: p.enum(["a", "b"]).nullable(),
        secret: p.string().config().secret(),
      },
      methods: { boost: m.operation({ input: z.object({ minutes: z.number() }) }, () => {}) },
    });
    const { properties, methods } = Heater.jsonSchema();
    expect(properties).toMatchObject({
      type: "object",
      properties: {
        target: { type: "number", minimum: 5, maximum: 30, multipleOf: 0.5 },
        mode: { type: ["string", "null"], enum: ["a", "b"], readOnly: true },
      },
    });
    expect(JSON.stringify(properties)).not.toContain("secret");
    expect(methods["boost"]).toMatchObject({
      type: "object",
      properties: { minutes: { type: "number" } },
      required: ["minutes"],
    });
  });
});

describe("methods", () => {
  // @proves subjects.methods.kind-default subjects.methods.from-interface
  test("a method without a kind is an operation, unless its interface says otherwise", () => {
    const Reader = defineInterface("test.methods.Reader", { methods: { look: m.query({ title: "Look" }) } });
    const Shelf = defineSubject("test.methods.Shelf", {
      implements: [Reader],
      methods: { look: () => "books", dust: () => "clean" },
    });
    const kinds = [...Shelf.create().$info.methods()].map(({ name, kind, title }) => [name, kind, title]);
    expect(kinds).toEqual([
      ["look", "query", "Look"],
      ["dust", "operation", undefined],
    ]);
    expect(() => defineSubject("test.methods.Bare", { implements: [Reader] })).toThrow("look is missing");
  });

  // @proves subjects.methods.injected-context subjects.methods.every-call-runs
  test("context is injected beside the arguments, and every call runs", () => {
    const calls: unknown[] = [];
    const Counter = defineSubject("test.methods.Counter", {
      methods: {
        tick: m.operation(
          { input: z.object({ by: z.number() }) },
          (s, args, context) => void calls.push([nameOf(s), args, Object.keys(context).sort()]),
        ),
      },
      props: { name: p.string() },
    });
    const { graph, root } = openGraph();
    const counter = Counter.create({ name: "c" });
    root.link = counter;
    const context = { signal: new AbortController().signal, log: graph.log, services: graph.services };
    const method = counter.$info.method("tick");
    method?.invoke({ by: 1 }, context);
    method?.invoke({ by: 1 }, context);
    expect(calls).toEqual([
      ["c", { by: 1 }, ["log", "services", "signal"]],
      ["c", { by: 1 }, ["log", "services", "signal"]],
    ]);
  });

  test("a live condition gates a method", () => {
    const Gate = defineSubject("test.methods.Gate", {
      props: { locked: p.boolean() },
      methods: { open: m.operation({ enabled: (s: { locked: boolean }) => !s.locked }, () => {}) },
    });
    const { graph, root } = openGraph();
    const gate = Gate.create({ locked: true });
    root.link = gate;
    expect(gate.$info.method("open")?.isEnabled).toBe(false);
    expect(graph.get("/link/open@isEnabled")).toBe(false);
    gate.$set("locked", false);
    expect(gate.$info.method("open")?.isEnabled).toBe(true);
  });
});

// @proves subjects.api.standard-schema subjects.api.outside-schema
test("any Standard Schema can declare a property, and a library schema runs for outsiders and opaque values only", async () => {
  let runs = 0;
  const even = {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate(value: unknown) {
        runs += 1;
        return typeof value === "number" && value % 2 === 0 ? { value } : { issues: [{ message: "not even" }] };
      },
    },
  };
  const Odd = defineSubject("test.schema.Odd", {
    props: { n: p.of(even).writable(), plain: p.number({ max: 5 }).writable() },
  });
  const { graph, root } = openGraph();
  const odd = Odd.create({ plain: 1 });
  root.link = odd;
  odd.$set("plain", 99); // the owner is not held to the range
  expect([odd.plain, runs]).toEqual([99, 0]);
  await expect(graph.set("/link/n", 3)).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  await graph.set("/link/n", 4);
  expect(odd.n).toBe(4);
  expect(() => odd.$set("n", 5)).toThrow("n of test.schema.Odd");
});
