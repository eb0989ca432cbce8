import { describe, expect, test } from "vitest";
import { c } from "../define/c.ts";
import { defineSubject } from "../define/define-subject.ts";
import { m } from "../define/m.ts";
import { p } from "../define/p.ts";
import type { PathProvider } from "../info/providers.ts";
import { nameOf, openGraph, thing, Thing, type AnyThing } from "../testing/test-graph.ts";
import { all, camelCase, explicit, state } from "./path-providers.ts";

function named(name: string, children: Parameters<typeof Thing.create>[0] = {}): AnyThing {
  return Thing.create({ name, ...children });
}

describe("paths, row by row", () => {
  // @proves subjects.row.path-root-name
  test("`name` of root is the property, without a key", () => {
    const { graph } = openGraph();
    expect(graph.locate("name")).toMatchObject({ kind: "property", path: "/name", property: { name: "name" } });
  });

  // @proves subjects.row.path-map-keys
  test("`items[key1]`, `items[key1]/value`, `items[mid]/children[leaf]`", () => {
    const leaf = named("leaf");
    const mid = named("mid", { map: { leaf } });
    const key1 = named("one", { value: 5 });
    const { graph } = openGraph(named("root", { map: { key1, mid } }));
    expect(graph.find("map[key1]")).toBe(key1);
    expect(graph.registry.parents(key1)).toMatchObject([{ property: "map", key: "key1" }]);
    expect(graph.get("map[key1]/value")).toBe(5);
    expect(graph.find("map[mid]/map[leaf]")).toBe(leaf);
  });

  // @proves subjects.row.path-not-found
  test("`items[missing]/value`, `bogus[key]`, `nonExistent` are not found", () => {
    const { graph } = openGraph(named("root", { map: { a: thing("a") } }));
    for (const path of ["map[missing]/value", "bogus[key]", "nonExistent"]) {
      expect(graph.locate(path).kind).toBe("missing");
      expect(graph.find(path)).toBeNull();
    }
  });

  // @proves subjects.row.path-inline-folder
  test("inline folder, key `Servers`", () => {
    const { graph, root } = openGraph();
    const servers = thing("servers");
    graph.attach("/", "Servers", servers);
    expect(root.children.get("Servers")).toBe(servers);
    expect(graph.find("/Servers")).toBe(servers);
    expect(servers.$path).toBe("/Servers");
    expect(graph.locate("/children[Servers]/name")).toMatchObject({ kind: "property", path: "/Servers/name" });
  });

  // @proves subjects.row.path-inline-dotted-key
  test("inline key `Setup.md` needs no escaping", () => {
    const { graph } = openGraph();
    const setup = thing("setup");
    graph.attach("/", "Setup.md", setup);
    expect(setup.$path).toBe("/Setup.md");
    expect(graph.find("/Setup.md")).toBe(setup);
  });

  // @proves subjects.row.path-inline-collision
  test("property `link` and inline key `link`", () => {
    const [declared, keyed] = [thing("declared"), thing("keyed")];
    const { graph } = openGraph(named("root", { link: declared, children: { link: keyed } }));
    expect(graph.find("/link")).toBe(declared);
    expect(keyed.$path).toBe("/children[link]");
    expect(graph.find("/children[link]")).toBe(keyed);
  });

  // @proves subjects.row.path-two-routes
  test("a subject reachable by two routes lists both, shorter first", () => {
    const deep = thing("deep");
    const { graph } = openGraph(named("root", { link: named("a", { link: deep }), children: { shortcut: deep } }));
    expect(graph.paths(deep)).toEqual(["/shortcut", "/link/link"]);
    expect(deep.$path).toBe("/shortcut");
  });

  // @proves subjects.row.path-cyclic-parents
  test("only cyclic parents, root unreachable: null, no hang", () => {
    const { graph, root } = openGraph();
    const [a, b] = [thing("a"), thing("b")];
    a.link = b;
    b.link = a;
    root.link = a;
    graph.batch(() => {
      root.link = null;
      // Still registered until the batch ends, with nobody but each other for parents.
      expect([a.$path, b.$path]).toEqual([null, null]);
    });
    expect([a.$path, b.$path]).toEqual([null, null]);
    expect(graph.paths(a)).toEqual([]);
  });

  // @proves subjects.row.path-second-parent
  test("root reachable through the second parent only", () => {
    const { root } = openGraph();
    const [a, b, shared] = [thing("a"), thing("b"), thing("shared")];
    shared.link = a;
    a.link = shared; // first parent of shared, itself only reachable through shared
    root.link = b;
    b.link = shared;
    expect(shared.$path).toBe("/link/link");
    expect(a.$path).toBe("/link/link/link");
  });

  // @proves subjects.row.path-detach-move
  test("after detach null, after a move the new path at once", () => {
    const { graph, root } = openGraph();
    const a = thing("a");
    root.link = a;
    expect(a.$path).toBe("/link");
    graph.batch(() => {
      root.link = null;
      root.other = a;
      expect(a.$path).toBe("/other");
    });
    expect(a.$path).toBe("/other");
    root.other = null;
    expect(a.$path).toBeNull();
  });
});

describe("what is accepted on input", () => {
  const pins = () => openGraph(named("root", { link: named("gpio", { list: [thing("pin0"), thing("pin1")] }) })).graph;

  // @proves subjects.paths.slashes
  test("missing, doubled and trailing slashes and a raw slash in brackets are forgiven, and never printed", () => {
    const slashed = thing("slashed");
    const { graph, root } = openGraph(named("root", { map: { "a/b": slashed } }));
    for (const path of ["", "/", "//"]) expect(graph.find(path)).toBe(root);
    for (const path of ["map[a/b]", "/map[a/b]/", "//map[a%2Fb]//"]) {
      expect(graph.locate(path)).toMatchObject({ kind: "subject", path: "/map[a%2Fb]" });
    }
    expect(slashed.$path).toBe("/map[a%2Fb]");
  });

  // @proves subjects.paths.list-index
  test("a list index is decimal without sign or padding, everything else is not found", () => {
    const graph = pins();
    expect(graph.find("/link/list[1]")?.$get("name")).toBe("pin1");
    for (const index of ["-1", "1.0", "x", "01", "+1", "2", "", "1e0", " 1", "9999999999999999999999"]) {
      expect(graph.locate(`/link/list[${index}]`).kind).toBe("missing");
    }
  });

  // @proves subjects.paths.key-by-shape
  test("digits on a map are a string key", () => {
    const { graph } = openGraph(named("root", { map: { "1042": thing("lamp"), "01": thing("padded") } }));
    expect(graph.find("/map[1042]")?.$get("name")).toBe("lamp");
    expect(graph.find("/map[01]")?.$get("name")).toBe("padded");
  });

  // @proves subjects.paths.route-form
  test("an index or key as a step of its own is accepted and printed in brackets", () => {
    const graph = pins();
    expect(graph.locate("/link/list/1/name")).toMatchObject({ kind: "property", path: "/link/list[1]/name" });
    expect(graph.locate("/link/list/1[0]").kind).toBe("missing");
  });

  // @proves subjects.paths.dots-tools
  test("dots as steps are invalid", () => {
    const graph = pins();
    for (const path of [".", "..", "/link/../link", "/link/./list[0]"]) expect(graph.locate(path).kind).toBe("invalid");
  });

  // @proves subjects.paths.dots-library
  test("the library resolves relative paths, and up from several parents is null", () => {
    const shared = thing("shared");
    const [a, b] = [named("a", { link: shared }), named("b", { link: shared })];
    const { graph, root } = openGraph(named("root", { list: [a, b] }));
    expect(graph.resolve("./link", undefined, { from: a })).toMatchObject({ kind: "subject", path: "/list[0]/link" });
    expect(graph.resolve("../name", undefined, { from: a })).toMatchObject({ kind: "property", path: "/name" });
    expect(graph.resolve("link/../name", undefined, { from: a })).toBeNull();
    expect(graph.resolve("..", undefined, { from: shared })).toBeNull();
    expect(graph.resolve("..", undefined, { from: root })).toBeNull();
    expect(graph.resolve("/list[1]", undefined, { from: a })).toMatchObject({ kind: "subject", path: "/list[1]" });
    expect(() => graph.resolve("a[", undefined, { from: a })).toThrow("never closed");
  });

  // @proves subjects.paths.decode-any subjects.error.invalid-path
  test("every well-formed escape is decoded, a malformed one is invalid", () => {
    const { graph } = openGraph(named("root", { map: { "ä b": thing("umlaut") } }));
    expect(graph.find("/%6Dap[%C3%A4%20b]")?.$get("name")).toBe("umlaut");
    for (const path of ["/map[%]", "/map[%4]", "/map[%zz]", "/%ff", "/map[%C3]"])
      expect(graph.locate(path).kind).toBe("invalid");
    for (const path of ["a[", "a]", "[x]", "a[1][2]", "a[1]b"]) expect(graph.locate(path).kind).toBe("invalid");
  });

  // @proves subjects.paths.case subjects.error.path-not-found
  test("case counts; a miss names the longest existing part, the bad step and what was probably meant", () => {
    const graph = pins();
    expect(graph.locate("/Link/list[0]")).toMatchObject({
      kind: "missing",
      resolved: "/",
      missing: "Link",
      suggestions: ["/link"],
    });
    expect(graph.locate("/link/lits[0]")).toMatchObject({
      resolved: "/link",
      missing: "lits[0]",
      suggestions: ["/link/list"],
    });
  });

  // @proves subjects.paths.null-step
  test("a null on the way is not found, and the message names it", () => {
    const { graph } = openGraph();
    const found = graph.locate("/link/name");
    expect(found).toMatchObject({ kind: "missing", resolved: "/", missing: "link" });
    expect(found).toHaveProperty("message", "/link is empty at the moment (null).");
  });

  // @proves subjects.paths.prototype-keys subjects.paths.dollar-keys
  test("prototype names are ordinary keys, and dollar keys are printed in brackets", () => {
    const { graph } = openGraph();
    for (const path of ["/__proto__", "/constructor", "/toString", "/map[__proto__]"])
      expect(graph.locate(path).kind).toBe("missing");
    const children = Object.fromEntries(
      ["__proto__", "constructor", "toString", "$ref"].map((key) => [key, thing(key)]),
    );
    // Object.fromEntries defines, so the first key is an own one.
    graph.replaceRoot(named("other", { children, map: { ["__proto__"]: thing("mapped") } }));
    for (const key of ["__proto__", "constructor", "toString"]) {
      expect(graph.find(`/${key}`)?.$get("name")).toBe(key);
      expect(graph.find(`/${key}`)?.$path).toBe(`/${key}`);
    }
    expect(graph.find("/map[__proto__]")?.$get("name")).toBe("mapped");
    expect(graph.find("/$ref")?.$path).toBe("/children[$ref]");
  });

  // @proves subjects.paths.attribute-step subjects.attributes.no-bare-segment
  test("a property path may end in an attribute, whose bare name is no step", () => {
    const { graph, root } = openGraph();
    graph.registry.addAttribute(root, "value", "minimum", { value: 3 });
    expect(graph.get("/value@minimum")).toBe(3);
    expect(graph.locate("/value@minimum")).toMatchObject({ kind: "property", path: "/value@minimum" });
    expect(graph.locate("/minimum").kind).toBe("missing");
    expect(graph.locate("/value@maximum").kind).toBe("missing");
    expect(graph.locate("/value@minimum/x").kind).toBe("missing");
  });

  test("an inline key with an at sign is a step unless a property stands before the sign", () => {
    const { graph } = openGraph(
      named("root", { children: { "user@host": thing("user"), "value@x": thing("shadowed") } }),
    );
    expect(graph.find("/user@host")?.$path).toBe("/user@host");
    expect(graph.find("/children[value@x]")?.$path).toBe("/children[value@x]");
    expect(graph.locate("/value@x").kind).toBe("missing");
  });

  test("a bare collection and a method are told apart from subjects and properties", () => {
    const Machine = defineSubject("test.paths.Machine", {
      props: { speed: p.number() },
      children: { parts: c.list() },
      methods: { stop: m.operation({}, () => {}) },
    });
    const { graph, root } = openGraph();
    root.link = Machine.create();
    expect(graph.locate("/link/parts")).toMatchObject({ kind: "collection", path: "/link/parts" });
    expect(graph.locate("/link/stop")).toMatchObject({ kind: "method", path: "/link/stop" });
    expect(graph.locate("/link/speed/more").kind).toBe("missing");
    expect(graph.locate("/link/speed[1]").kind).toBe("missing");
    expect(() => graph.get("/link/stop")).toThrow("is a method");
  });
});

describe("canonical paths", () => {
  // @proves subjects.paths.canonical
  test("fewest steps win, and among equals the oldest reference", () => {
    const [near, far, shared] = [thing("near"), thing("far"), thing("shared")];
    const { root } = openGraph();
    root.list = [near, far];
    far.other = shared;
    near.link = shared;
    expect(shared.$path).toBe("/list[1]/other");
    far.other = null;
    far.other = shared;
    expect(shared.$path).toBe("/list[0]/link");
    root.map = new Map([["direct", shared]]);
    expect(shared.$path).toBe("/map[direct]");
  });

  // @proves subjects.paths.canonical-deep
  test("a chain of 10 000, with a cycle at its end, neither overflows nor hangs", () => {
    const { graph, root } = openGraph();
    const nodes = Array.from({ length: 10_000 }, (_, i) => thing(`n${i}`));
    nodes.forEach((node, i) => (node.link = nodes[i + 1] ?? nodes[5_000] ?? null));
    root.link = nodes[0] ?? null;
    expect(graph.registry.count).toBe(10_001);
    const last = nodes.at(-1);
    const path = last?.$path ?? "";
    expect(path).toBe("/link".repeat(10_000));
    expect(graph.find(path)).toBe(last);
    root.link = null;
    expect(graph.registry.count).toBe(1);
  });

  // @proves subjects.paths.canonical-cache
  test("a cached path is not served after the structure changed anywhere on the way", () => {
    const { root } = openGraph();
    const [a, b] = [thing("a"), thing("b")];
    root.list = [a];
    a.link = b;
    expect(b.$path).toBe("/list[0]/link");
    root.list = [thing("first"), a];
    expect(b.$path).toBe("/list[1]/link");
    root.link = a;
    root.list = [];
    expect(b.$path).toBe("/link/link");
  });
});

describe("providers", () => {
  const Boiler = defineSubject("test.paths.Boiler", {
    props: {
      flow: p.number().path("mcp", "flowTemp"),
      secretPin: p.string().config().secret(),
      curve: p.number().config(),
      hidden: p.number().hidden(),
      note: p.string().path("remark"),
      errors: p.integer().diagnostic(),
    },
    children: { pumps: c.map() },
  });
  const Pump = defineSubject("test.paths.Pump", { props: { speed: p.number().path("mcp", "speed"), raw: p.number() } });
  const Dumb = defineSubject("test.paths.Dumb", { props: { raw: p.number() } });

  function open() {
    const test = openGraph();
    const boiler = Boiler.create({ flow: 40, pumps: { a: Pump.create({ speed: 1 }), b: Dumb.create() } });
    test.root.link = boiler;
    const names = (provider: PathProvider) => [...test.graph.exposed(boiler, provider)].map(({ segment }) => segment);
    return { ...test, boiler, names };
  }

  // @proves subjects.paths.provider-explicit subjects.facets.path-segment
  test("explicit includes only what opted in for its consumer, under that name", () => {
    const { graph, names } = open();
    expect(names(explicit("mcp"))).toEqual(["flowTemp"]);
    expect(names(explicit("other"))).toEqual([]);
    expect(graph.locate("/link/flowTemp", explicit("mcp"))).toMatchObject({ kind: "property", path: "/link/flowTemp" });
    expect(graph.locate("/link/flow", explicit("mcp")).kind).toBe("missing");
    expect(graph.locate("/link/note", explicit("mcp")).kind).toBe("missing");
  });

  // @proves subjects.paths.provider-state subjects.facets.exposed subjects.facets.role-default
  test("state includes exposed state that is not secret, and config on request", () => {
    const { graph, names } = open();
    expect(names(state())).toEqual(["flow", "remark"]);
    expect(names(state({ config: true }))).toEqual(["flow", "curve", "remark"]);
    expect(graph.locate("/link/secretPin", state({ config: true })).kind).toBe("missing");
    expect(graph.locate("/link/hidden", state()).kind).toBe("missing");
  });

  // @proves subjects.paths.providers-other subjects.facets.path-segment
  test("all includes everything, camelCase wraps another, null means the property's own name", () => {
    const { names } = open();
    expect(names(all())).toEqual(["flow", "secretPin", "curve", "hidden", "remark", "errors"]);
    const shouting: PathProvider = {
      includes: ({ shape }) => shape === undefined,
      segment: ({ name }) => (name === "flow" ? "FLOW temp-now" : null),
    };
    expect(names(camelCase(shouting))).toContain("flowTempNow");
    expect(names(shouting)).toContain("curve");
  });

  // @proves subjects.paths.navigable
  test("a child property that is not included is passed when something included lies behind it and nowhere else", () => {
    const { graph, boiler } = open();
    const mcp = explicit("mcp");
    expect(graph.locate("/link/pumps[a]/speed", mcp)).toMatchObject({ kind: "property", path: "/link/pumps[a]/speed" });
    expect(graph.pathOf(boiler, mcp)).toBe("/link");
    boiler.pumps = new Map([["b", Dumb.create()]]);
    expect(graph.locate("/link/pumps[b]", mcp).kind).toBe("missing");
    expect([...graph.children(boiler, mcp)]).toEqual([]);
    expect(graph.hasChildren(boiler, mcp)).toBe(false);
  });

  // @proves subjects.paths.lookup-map
  test("a property added later resolves at once, and only on its own subject", () => {
    const { graph, boiler, root } = open();
    const twin = Boiler.create();
    root.other = twin;
    expect(graph.locate("/link/extra").kind).toBe("missing");
    graph.registry.addProperty(boiler, "extra", p.number(), 9);
    expect(graph.get("/link/extra")).toBe(9);
    expect(graph.locate("/other/extra").kind).toBe("missing");
    graph.registry.removeProperty(boiler, "extra");
    expect(graph.locate("/link/extra").kind).toBe("missing");
  });

  // @proves subjects.row.layers-minimal-provider
  test("a provider with only includes and segment works, and its own find is asked when it has one", () => {
    const { graph } = open();
    const minimal: PathProvider = { includes: () => true, segment: ({ name }) => `x-${name}` };
    expect(graph.locate("/x-link/x-flow", minimal)).toMatchObject({ kind: "property", path: "/x-link/x-flow" });
    const finder: PathProvider = {
      ...minimal,
      find: (subject, segment) => subject.property(segment.toLowerCase()) ?? null,
    };
    expect(graph.locate("/LINK/FLOW", finder).kind).toBe("property");
  });

  // @proves subjects.facets.title-not-path
  test("titles and descriptions are never part of a path", () => {
    const { graph, boiler } = open();
    graph.registry.setFacets(boiler, "flow", { title: "Vorlauf/neu", description: "x" });
    expect(graph.locate("/link/flow")).toMatchObject({ kind: "property", path: "/link/flow" });
  });
});

test("children come in definition, list and map order, and go on behind a step", () => {
  const { graph, root } = openGraph(
    named("root", {
      link: thing("one"),
      list: [thing("l0"), thing("l1")],
      map: { x: thing("mx"), y: thing("my") },
      children: { k: thing("ik") },
    }),
  );
  const steps = (after?: string) =>
    [...graph.children(root, undefined, after)].map(({ step, subject }) => [step, nameOf(subject)]);
  const every = [
    ["link", "one"],
    ["list[0]", "l0"],
    ["list[1]", "l1"],
    ["map[x]", "mx"],
    ["map[y]", "my"],
    ["k", "ik"],
  ];
  expect(steps()).toEqual(every);
  every.forEach(([step], i) => expect(steps(step)).toEqual(every.slice(i + 1)));
  const list = graph.locate("/list");
  if (list.kind !== "collection") throw new Error("a collection was expected");
  expect([...graph.items(list.property)].map(({ step }) => step)).toEqual(["[0]", "[1]"]);
  expect([...graph.items(list.property, undefined, "[0]")].map(({ step }) => step)).toEqual(["[1]"]);
});
