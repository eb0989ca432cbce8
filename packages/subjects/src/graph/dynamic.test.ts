import { describe, expect, test } from "vitest";
import { defineSubject } from "../define/define-subject.ts";
import { m } from "../define/m.ts";
import { p } from "../define/p.ts";
import { nodeOf } from "../instance/held.ts";
import { openGraph, thing } from "../testing/test-graph.ts";

const Boiler = defineSubject("test.dynamic.Boiler", {
  props: {
    pressure: p
      .number({ unit: "Bar" })
      .writable()
      .attribute("minimum", p.number().default(0.5).attribute("source", p.string().default("manual"))),
    flow: p.number(),
  },
  methods: { purge: m.operation({}, () => {}) },
});

function open() {
  const test = openGraph();
  const boiler = Boiler.create({ pressure: 1.5, flow: 10 });
  test.root.link = boiler;
  return { ...test, boiler };
}

describe("attributes", () => {
  // @proves subjects.attributes.declared-and-runtime subjects.model.attribute-naming
  test("are declared or added, with getter and setter, derived, nested, and on methods too", () => {
    const { graph, boiler } = open();
    expect([graph.get("/link/pressure@minimum"), graph.get("/link/pressure@minimum@source")]).toEqual([0.5, "manual"]);
    let stored = 3;
    const handle = graph.registry.property(boiler, "pressure").addAttribute("maximum", {
      get: () => stored,
      set: (_subject, value) => {
        stored = Number(value);
        graph.recompute(boiler, "pressure@maximum");
      },
    });
    expect([handle.name, graph.get("/link/pressure@maximum")]).toEqual(["pressure@maximum", 3]);
    boiler.$set("pressure@maximum", 4);
    expect(graph.get("/link/pressure@maximum")).toBe(4);
    graph.registry.addAttribute(boiler, "pressure", "half", { get: (s) => Number(s.$get("pressure")) / 2 });
    boiler.pressure = 2;
    expect(graph.get("/link/pressure@half")).toBe(1);
    graph.registry.addAttribute(boiler, "purge", "isEnabled", { value: false });
    expect([graph.get("/link/purge@isEnabled"), boiler.$info.method("purge")?.isEnabled]).toEqual([false, false]);
    expect(() => graph.registry.addAttribute(boiler, "nothing", "x", { value: 1 })).toThrow(
      "no property or method nothing",
    );
    expect(() => graph.registry.addAttribute(boiler, "flow", "a@b", { value: 1 })).toThrow("contains @");
  });

  // @proves subjects.attributes.registered subjects.attributes.not-ordinary
  test("are registry properties under their full names, tracked, and not among the ordinary ones", () => {
    const { graph, boiler } = open();
    const changes: unknown[] = [];
    graph.onChange(({ property, old, value }) => changes.push([property, old, value]));
    boiler.$set("pressure@minimum", 0.8);
    expect(changes).toEqual([["pressure@minimum", 0.5, 0.8]]);
    const info = graph.registry.property(boiler, "pressure");
    expect([...info.attributes()].map(({ name }) => name)).toEqual(["pressure@minimum"]);
    expect(info.attribute("minimum")?.value).toBe(0.8);
    expect(graph.registry.properties(boiler).map(({ name }) => name)).toEqual(["pressure", "flow"]);
    expect(boiler.$info.property("pressure@minimum")?.isAttribute).toBe(true);
  });

  // @proves subjects.attributes.initialisers
  test("an initialiser runs for every property at attach and may add attributes", () => {
    const { graph, root } = open();
    graph.addInitialiser(({ subject, name, facets }) => {
      if (facets.unit !== undefined) graph.registry.addAttribute(subject.subject, name, "unit", { value: facets.unit });
    });
    root.other = Boiler.create({ pressure: 1 });
    expect(graph.get("/other/pressure@unit")).toBe("Bar");
    expect(graph.locate("/other/flow@unit").kind).toBe("missing");
    expect(graph.locate("/link/pressure@unit").kind).toBe("missing");
  });

  test("a live range goes before the declared one", async () => {
    const { graph, boiler } = open();
    graph.registry.addAttribute(boiler, "pressure", "maximum", { value: 2 });
    await expect(graph.set("/link/pressure", 2.5)).rejects.toMatchObject({
      code: "OUT_OF_RANGE",
      details: { expected: { min: 0.5, max: 2, unit: "Bar" } },
    });
    await expect(graph.set("/link/pressure", 0.4)).rejects.toMatchObject({ code: "OUT_OF_RANGE" });
    await expect(graph.set("/link/pressure", 1.9)).resolves.toMatchObject({ value: 1.9 });
  });
});

describe("dynamic properties", () => {
  // @proves subjects.lifecycle.dynamic-survives
  test("survive detach and attach, and an existing name is refused", () => {
    const { graph, root, boiler } = open();
    graph.registry.addProperty(boiler, "extra", p.number().writable(), 4);
    graph.registry.addDerived(boiler, "twice", (s) => Number(s.$get("extra")) * 2);
    root.link = null;
    expect(boiler.$get("extra")).toBe(4);
    root.link = boiler;
    boiler.$set("extra", 5);
    expect([graph.get("/link/extra"), graph.get("/link/twice")]).toEqual([5, 10]);
    expect(() => graph.registry.addProperty(boiler, "extra", p.number())).toThrow("already has a property extra");
    expect(() => graph.registry.addProperty(boiler, "flow", p.number())).toThrow("already has a property flow");
    expect(() => graph.registry.addProperty(boiler, "purge", p.number())).toThrow("is a method");
    expect(() => graph.registry.addProperty(boiler, "$x", p.number())).toThrow("starts with $");
    expect(() => graph.registry.addProperty(boiler, "bad", p.number(), "text")).toThrow("takes number");
    expect(boiler.$info.property("bad")).toBeUndefined();
  });

  // @proves subjects.lifecycle.dynamic-remove
  test("removing one leaves no attribute, listener, claim or edge behind", () => {
    const { graph, boiler } = open();
    graph.registry.addProperty(boiler, "extra", p.number(), 4);
    graph.registry.addAttribute(boiler, "extra", "note", { value: "x" });
    const slot = nodeOf(boiler).layout.index.get("extra") ?? -1;
    const heard: unknown[] = [];
    boiler.$on("extra", (value) => heard.push(value));
    graph.registry.addDerived(boiler, "twice", (s) =>
      s.$info.property("extra") === undefined ? -1 : Number(s.$get("extra")) * 2,
    );
    expect(graph.get("/link/twice")).toBe(8);
    graph.registry.removeProperty(boiler, "extra");
    expect(graph.get("/link/twice")).toBe(-1);
    expect(graph.locate("/link/extra").kind).toBe("missing");
    expect(graph.locate("/link/extra@note").kind).toBe("missing");
    expect([nodeOf(boiler).listeners?.[slot] ?? null, nodeOf(boiler).extra?.links?.[slot]]).toEqual([null, undefined]);
    expect("extra" in boiler).toBe(false);
    // Its place is taken by the next one, which has nothing of it.
    graph.registry.addProperty(boiler, "other", p.number(), 1);
    boiler.$set("other", 2);
    expect(heard).toEqual([]);
    expect(() => graph.registry.removeProperty(boiler, "flow")).toThrow("cannot be removed");
    expect(() => graph.registry.removeProperty(boiler, "nothing")).toThrow("no property nothing");
  });
});

describe("ids", () => {
  // @proves subjects.ids.lazy
  test("are made when first asked for: 22 base62 characters, all different", () => {
    const ids = Array.from({ length: 200 }, (_, i) => thing(`t${i}`).$id);
    for (const id of ids) expect(id).toMatch(/^[0-9A-Za-z]{22}$/);
    expect(new Set(ids).size).toBe(200);
    const { graph, boiler } = open();
    expect(nodeOf(boiler).id).toBeNull();
    expect(graph.registry.byId(boiler.$id)).toBe(boiler);
  });

  // @proves subjects.ids.set-once
  test("may be set once, to any text that is not blank", () => {
    const { graph, root, boiler } = open();
    graph.registry.setId(boiler, "urn:dev:ops:1 ä");
    graph.registry.setId(boiler, "urn:dev:ops:1 ä");
    expect(boiler.$id).toBe("urn:dev:ops:1 ä");
    expect(() => graph.registry.setId(boiler, "another")).toThrow("already has the id");
    const fresh = thing("fresh");
    for (const blank of ["", "  ", "\n"]) expect(() => graph.registry.setId(fresh, blank)).toThrow("not blank");
    root.other = fresh;
    expect(() => graph.registry.setId(fresh, "urn:dev:ops:1 ä")).toThrow("Another attached subject");
    expect(fresh.$id).toMatch(/^[0-9A-Za-z]{22}$/);
  });

  // @proves subjects.ids.attach-conflict
  test("a conflict found at attach leaves the second without an index entry, with a warning", () => {
    const { graph, root, boiler, logged } = open();
    graph.registry.setId(boiler, "same");
    const second = thing("second");
    graph.registry.setId(second, "same");
    root.other = second;
    expect(graph.registry.byId("same")).toBe(boiler);
    expect([second.$path, second.$id]).toEqual(["/other", "same"]);
    expect(logged.map(({ message }) => message)).toEqual([
      "Two subjects have one id; the second cannot be found by it.",
    ]);
    root.other = null;
    expect(graph.registry.byId("same")).toBe(boiler);
    root.link = null;
    expect(graph.registry.byId("same")).toBeUndefined();
  });
});

// @proves subjects.registry.surface
test("the registry answers for every attached subject", () => {
  const { graph, root, boiler } = open();
  expect(graph.registry.count).toBe(2);
  expect(graph.registry.get(boiler)).toMatchObject({ type: "test.dynamic.Boiler", path: "/link" });
  expect(graph.registry.get(thing("loose"))).toBeUndefined();
  expect(graph.registry.parents(boiler)).toEqual([{ subject: root, property: "link", key: null }]);
  expect(graph.registry.methods(boiler).map(({ name }) => name)).toEqual(["purge"]);
  expect([...graph.registry.subjects()]).toEqual(expect.arrayContaining([root, boiler]));
  expect(graph.registry.refCount(boiler)).toBe(1);
});

describe("types", () => {
  // @proves subjects.type-providers.built-in subjects.type-providers.concatenated
  test("definitions and their interfaces are known by themselves; of two entries with one name the first wins", () => {
    const { graph } = open();
    graph.registry.addTypeProvider({
      types: () => [
        { name: "test.dynamic.Boiler", description: "impostor", isInterface: true, definition: undefined },
        { name: "plugin.Thing", isInterface: true, definition: undefined },
      ],
    });
    graph.registry.addTypeProvider({
      types: () => [{ name: "plugin.Thing", description: "second", isInterface: true, definition: undefined }],
    });
    const entries = graph.registry
      .types()
      .map(({ name, description, isInterface }) => [name, description, isInterface]);
    expect(entries).toEqual([
      ["plugin.Thing", undefined, true],
      ["test.Thing", undefined, false],
      ["test.dynamic.Boiler", undefined, false],
    ]);
  });

  test("a short name matches when it is the last part of exactly one", () => {
    const { graph } = open();
    graph.registry.addTypeProvider({
      types: () => ["x.Pump", "y.Pump"].map((name) => ({ name, isInterface: true, definition: undefined })),
    });
    expect([
      graph.registry.matchType("Boiler"),
      graph.registry.matchType("test.dynamic.Boiler"),
      graph.registry.matchType("Pump"),
      graph.registry.matchType("Nope"),
    ]).toEqual([["test.dynamic.Boiler"], ["test.dynamic.Boiler"], ["x.Pump", "y.Pump"], []]);
  });
});
