import { millis, seconds } from "@steading/kernel";
import { describe, expect, test } from "vitest";
import { openGraph, thing } from "../testing/test-graph.ts";
import { openDoor, scriptedSource, Valve, type ScriptedSource } from "../testing/test-sources.ts";
import type { Change } from "../graph/change.ts";
import type { SourceOptions } from "./source.ts";

async function connected(writes: "door" | "mirror" = "door", options: Partial<SourceOptions> = {}) {
  const opened = openGraph();
  const valve = Valve.create();
  const source = scriptedSource({ writes, valve });
  source.snapshot = [
    { path: "valve/target", value: 20 },
    { path: "/m/valve/open", value: false },
  ];
  const handle = opened.graph.addSource("m", source, { mount: "/m", jitter: () => 0.5, ...options });
  await handle.start();
  return { ...opened, valve, source, handle };
}

describe("connecting", () => {
  // @proves subjects.sources.connect-order subjects.sources.states
  test("buffers, starts, loads, applies the snapshot in one batch, replays the buffer in order, then is synchronized", async () => {
    const { graph } = openGraph();
    const valve = Valve.create();
    const source = scriptedSource({ valve });
    const order: string[] = [];
    const handle = graph.addSource("m", source, { mount: "/m" });
    expect(handle.state).toBe("unclaimed");
    const start = source.start.bind(source);
    source.start = async (context) => {
      await start(context);
      context.write([{ path: "valve/target", value: 2 }]);
      context.write([{ path: "valve/target", value: 3 }]);
      order.push(`buffered ${String(valve.target)} ${handle.state}`);
    };
    source.load = () => {
      order.push("load");
      return Promise.resolve([{ path: "valve/target", value: 1 }, { path: "valve/open", value: true }]);
    };
    graph.onChange(({ property, value, revision: _ }) => {
      if (property === "target" || property === "open" || property === "state") order.push(`${property} ${String(value)} (open ${String(valve.open)})`);
    });
    await handle.start();
    expect(order).toEqual([
      "state synchronizing (open null)",
      "buffered null synchronizing",
      "load",
      "target 1 (open true)",
      "open true (open true)",
      "target 2 (open true)",
      "target 3 (open true)",
      "state synchronized (open true)",
    ]);
    await handle.stop();
    expect([handle.state, source.calls.at(-1)]).toEqual(["stopped", "stop"]);
    await graph.close();
  });

  // @proves subjects.sources.reconnect-delay subjects.quality.stale subjects.mounts.source-gone
  test("starts over after 10 s, growing to 60 s, and what it said is stale meanwhile", async () => {
    const { graph, valve, source, handle, clock } = await connected();
    expect(valve.$info.property("target")?.quality).toBe("good");
    source.context?.disconnected(new Error("cable"));
    expect([handle.state, valve.$info.property("target")?.quality, valve.target, valve.$path]).toEqual(["synchronizing", "stale", 20, "/m/valve"]);
    source.failStart = new Error("still out");
    const starts = () => source.calls.filter((call) => call === "start").length;
    for (const delay of [10, 20, 40, 60, 60]) {
      const before = starts();
      await clock.advance(millis(delay * 1_000 - 1));
      expect(starts()).toBe(before);
      await clock.advance(millis(1));
      expect(starts()).toBe(before + 1);
    }
    source.failStart = undefined;
    await clock.advance(seconds(60));
    expect([handle.state, valve.$info.property("target")?.quality]).toEqual(["synchronized", "good"]);
    source.context?.disconnected(new Error("again"));
    const before = starts();
    await clock.advance(seconds(10));
    expect(starts()).toBe(before + 1);
    await graph.close();
    expect(clock.pending).toBe(0);
  });

  test("the delay is spread by jitter", async () => {
    for (const [jitter, expected] of [[0, 8_000], [1, 12_000]] as const) {
      const { source, clock, graph } = await connected("door", { jitter: () => jitter });
      source.context?.disconnected(new Error("x"));
      await clock.advance(millis(expected - 1));
      expect(source.calls.filter((call) => call === "start")).toHaveLength(1);
      await clock.advance(millis(1));
      expect(source.calls.filter((call) => call === "start")).toHaveLength(2);
      await graph.close();
    }
  });

  test("a session that was ended cannot speak any more", async () => {
    const { source, valve, graph, clock } = await connected();
    const stale = source.context;
    stale?.disconnected(new Error("x"));
    stale?.write([{ path: "valve/target", value: 99 }]);
    await clock.advance(seconds(10));
    stale?.write([{ path: "valve/target", value: 98 }]);
    expect(valve.target).toBe(20);
    await graph.close();
  });

  test("updates kept while connecting are bounded, the oldest given up and counted", async () => {
    const { graph } = openGraph();
    const valve = Valve.create();
    const source = scriptedSource({ valve });
    const handle = graph.addSource("m", source, { mount: "/m", inboundLimit: 3 });
    const start = source.start.bind(source);
    source.start = async (context) => {
      await start(context);
      for (let i = 1; i <= 5; i++) context.write([{ path: "valve/target", value: i }]);
    };
    await handle.start();
    expect([valve.target, handle.diagnostics.dropped]).toEqual([5, 2]);
    await graph.close();
  });
});

describe("ownership", () => {
  // @proves subjects.sources.claim
  test("a second claim is refused and logged, and claims end at detach", async () => {
    const { graph, valve, handle, logged } = await connected();
    const rival = scriptedSource();
    await graph.addSource("rival", rival, { mount: "/rival" }).start();
    expect(rival.context?.claim(valve, ["target"])).toBe(false);
    rival.context?.write([{ subject: valve, property: "target", value: 1 }]);
    expect([valve.target, valve.$info.property("target")?.source]).toEqual([20, "m"]);
    expect(logged.map(({ message }) => message)).toContain("A property has an owner already; the second claim is refused.");
    expect(rival.context?.claim(valve, ["label"])).toBe(true);
    expect([handle.diagnostics.claimed, graph.sources.get("rival")?.diagnostics.claimed]).toEqual([4, 1]);
    graph.detach(valve);
    expect([handle.diagnostics.claimed, graph.sources.get("rival")?.diagnostics.claimed]).toEqual([0, 0]);
    graph.attach("/rival", "valve", valve);
    expect(rival.context?.claim(valve, ["target"])).toBe(true);
    await graph.close();
  });

  // @proves subjects.model.derived-unowned
  test("derived and child properties cannot be owned", async () => {
    const { graph, valve, source, root } = await connected();
    expect(() => source.context?.claim(valve, ["half"])).toThrow("no such property to own");
    expect(() => source.context?.claim(root, ["list"])).toThrow("no such property to own");
    source.context?.write([{ subject: valve, property: "half", value: 3 }]);
    expect(valve.half).toBe(10);
    await graph.close();
  });

  // @proves subjects.attributes.source-bound
  test("an attribute can be claimed and updated by a source", async () => {
    const { graph, valve, source } = await connected();
    graph.registry.addAttribute(valve, "target", "maximum", { value: 100 });
    source.context?.write([{ path: "valve/target@maximum", value: 40 }]);
    expect([graph.get("/m/valve/target@maximum"), valve.$info.property("target@maximum")?.source]).toEqual([40, "m"]);
    await graph.close();
  });

  test("a source attaches below its mount only, and two of one name are refused", async () => {
    const { graph, source } = await connected();
    expect(() => source.context?.attach("/elsewhere", "x", thing("x"))).toThrow("only attach below /m");
    expect(() => graph.addSource("m", scriptedSource(), { mount: "/x" })).toThrow("already a source called m");
    await graph.close();
  });

  // @proves subjects.mounts.same-as
  test("a device that two sources see stays two subjects, joined by a reference", async () => {
    const { graph, root } = openGraph();
    const [a, b] = [thing("by modbus"), thing("by mqtt")];
    a.link = b; // `sameAs` is a child of its own
    root.list = [a];
    root.map = new Map([["mqtt", b]]);
    expect([graph.registry.count, a.link, b.$path]).toEqual([3, b, "/map[mqtt]"]);
  });
});

describe("inbound", () => {
  // @proves subjects.changes.origin-from subjects.sources.inbound-failure
  test("is applied with its source as origin; a bad update is logged and dropped without a retry", async () => {
    const { graph, valve, source, logged, handle } = await connected();
    const changes: Change[] = [];
    graph.onChange((change) => changes.push(change));
    source.context?.write([
      { path: "valve/target", value: 30, at: 77 },
      { path: "valve/nothing", value: 1 },
      { path: "valve/open", value: "not a boolean" },
      { path: "a[", value: 1 },
      { path: "valve", value: 1 },
      { path: "valve/mode", value: "manual" },
    ]);
    expect([valve.target, valve.open, valve.mode]).toEqual([30, false, "manual"]);
    expect(changes.filter(({ property }) => property !== "half").map(({ property, origin, changedAt }) => [property, origin, changedAt])).toEqual([
      ["target", { from: "m" }, 77],
      ["mode", { from: "m" }, graph.clock.now()],
    ]);
    expect(logged.filter(({ message }) => message === "An update from a source was dropped.")).toHaveLength(4);
    expect(handle.diagnostics.dropped).toBe(4);
    await graph.close();
  });

  // @proves subjects.changes.origin-corrected
  test("a value altered on the way in is local, so that the correction flows back", async () => {
    const { graph, valve, source, clock } = await connected("mirror");
    graph.extend({ at: "coerce", when: "after" }, (write) => {
      if (write.property === "target") write.value = Math.min(50, Number(write.value));
    });
    const origins: unknown[] = [];
    graph.onChange(({ property, origin }) => property === "target" && origins.push(origin));
    source.context?.write([{ path: "valve/target", value: 40 }]);
    source.context?.write([{ path: "valve/target", value: 60 }]);
    expect([valve.target, origins]).toEqual([50, [{ from: "m" }, "local"]]);
    await clock.advance(millis(8));
    expect(source.calls.at(-1)).toBe("write target=50");
    await graph.close();
  });

  // @proves subjects.facets.range-inbound-flagged subjects.facets.nullable-before-sync subjects.quality.values
  test("values carry their quality: unknown before the first, bad beyond their range, as the source says otherwise", async () => {
    const { graph, valve, source } = await connected();
    const quality = (name: string) => valve.$info.property(name)?.quality;
    expect([valve.flow, quality("flow"), graph.get("/m/valve/flow@quality")]).toEqual([null, "unknown", "unknown"]);
    source.context?.write([{ path: "valve/flow", value: 500 }, { path: "valve/mode", value: "boost" }]);
    expect([valve.flow, quality("flow"), valve.mode, quality("mode")]).toEqual([500, "bad", "boost", "bad"]);
    source.context?.write([{ path: "valve/flow", value: 5 }]);
    expect([quality("flow"), graph.get("/m/valve/flow@quality")]).toEqual(["good", "good"]);
    source.context?.write([{ path: "valve/flow", value: 5, quality: "stale" }]);
    expect(quality("flow")).toBe("stale");
    source.context?.write([{ path: "valve/flow", value: Number.NaN, quality: "good" }]);
    expect(quality("flow")).toBe("bad");
    source.context?.write([{ path: "valve/flow", value: null, quality: "bad" }]);
    expect([valve.flow, quality("flow")]).toEqual([null, "bad"]);
    expect([quality("label"), valve.$info.property("label")?.source]).toEqual(["unknown", undefined]);
    await graph.close();
  });

  // @proves subjects.quality.stale
  test("a value older than its maximum age is stale until it is seen again, also unchanged", async () => {
    const { graph, valve, source, clock } = await connected();
    const flow = () => valve.$info.property("flow");
    source.context?.write([{ path: "valve/flow", value: 5 }]);
    const seen = clock.now();
    await clock.advance(seconds(60));
    expect(flow()?.quality).toBe("good");
    await clock.advance(seconds(1));
    expect(flow()?.quality).toBe("stale");
    source.context?.write([{ path: "valve/flow", value: 5 }]);
    expect([flow()?.quality, flow()?.changedAt, flow()?.receivedAt]).toEqual(["good", seen, clock.now()]);
    await graph.close();
  });
});

describe("outside writes to what a door owns", () => {
  // @proves subjects.sources.writes-default
  test("a source that says nothing is written through the door, and the model changes by the read-back alone", async () => {
    const { graph, valve, source, handle } = await connected();
    expect(handle.writes).toBe("door");
    await expect(graph.set("/m/valve/target", 30)).rejects.toMatchObject({ code: "DOOR_NEEDED", hint: "Pass `perform`, the door, in the options." });
    const door = openDoor(source);
    await expect(graph.set("/m/valve/target", "30", { perform: door.perform })).resolves.toMatchObject({ previous: 20, value: 30, status: "acknowledged" });
    expect(door.effects[0]?.arguments).toEqual({ path: "/m/valve/target", value: 30, previous: 20 });
    for (const [stage, code] of [["unknown", "TIMEOUT"], ["failed", "SOURCE_REJECTED"]] as const) {
      await expect(graph.set("/m/valve/target", 40, { perform: openDoor(source, stage).perform })).rejects.toMatchObject({ code, details: { receipt: stage } });
      expect(valve.target).toBe(30);
    }
    await expect(graph.set("/m/valve/target", 400, { perform: door.perform })).rejects.toMatchObject({ code: "OUT_OF_RANGE" });
    source.context?.disconnected(new Error("x"));
    await expect(graph.set("/m/valve/target", 50, { perform: door.perform })).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE", retryable: true });
    expect([valve.target, door.effects.length]).toEqual([30, 1]);
    await graph.close();
  });
});

describe("a mirror", () => {
  // @proves subjects.sources.mirror-outbound subjects.changes.echo-by-origin subjects.sources.payload-from-changes
  test("gets local changes, merged for 8 ms, without those it sent itself, with the values they had", async () => {
    const { graph, valve, source, clock } = await connected("mirror");
    valve.target = 30;
    valve.target = 40;
    valve.open = true;
    source.context?.write([{ path: "valve/mode", value: "manual" }]);
    source.context?.write([{ path: "valve/flow", value: 7 }]);
    await clock.advance(millis(7));
    expect(source.written).toEqual([]);
    source.answer = () => {
      valve.target = 99;
      return { failed: [] };
    };
    await clock.advance(millis(1));
    expect(source.written[0]?.map(({ property, old, value }) => [property, old, value])).toEqual([["target", 20, 40], ["open", false, true]]);
    source.answer = () => ({ failed: [] });
    // By origin, not by value: the same value written locally after the source sent it is still the source's news.
    await clock.advance(millis(8));
    expect(source.written[1]?.map(({ value }) => value)).toEqual([99]);
    await graph.close();
  });

  // @proves subjects.sources.mirror-retry-ring
  test("keeps what failed in a ring, drops and counts the oldest, and tries again", async () => {
    const { graph, root, clock } = openGraph();
    const valves = Array.from({ length: 5 }, () => Valve.create({ target: 0 }));
    root.list = valves;
    const source = scriptedSource({ writes: "mirror" });
    const handle = graph.addSource("m", source, { mount: "/m", retryLimit: 3 });
    await handle.start();
    for (const valve of valves) source.context?.claim(valve, ["target"]);
    source.answer = (all) => ({ failed: all, error: new Error("busy") });
    valves.forEach((valve, i) => (valve.target = i + 1));
    await clock.advance(millis(8));
    expect([handle.diagnostics.queueDepth, handle.diagnostics.dropped, handle.diagnostics.lastError]).toEqual([3, 2, "busy"]);
    source.answer = () => ({ failed: [] });
    await clock.advance(seconds(1));
    expect([source.calls.at(-1), handle.diagnostics.queueDepth]).toEqual(["write target=3 target=4 target=5", 0]);
    await graph.close();
  });

  test("the ring holds a thousand unless told otherwise", async () => {
    const { graph, root, clock } = openGraph();
    const valves = Array.from({ length: 1_001 }, () => Valve.create({ target: 0 }));
    root.list = valves;
    const source = scriptedSource({ writes: "mirror" });
    const handle = graph.addSource("m", source, { mount: "/m" });
    await handle.start();
    for (const valve of valves) source.context?.claim(valve, ["target"]);
    source.answer = (all) => ({ failed: all, error: new Error("busy") });
    graph.batch(() => valves.forEach((valve) => (valve.target = 1)));
    await clock.advance(millis(8));
    expect([handle.diagnostics.queueDepth, handle.diagnostics.dropped]).toEqual([1_000, 1]);
    source.answer = () => ({ failed: [] });
    await graph.close();
  });

  // @proves subjects.sources.permanent-failure
  test("does not repeat what can never succeed; the model goes back to what the source says", async () => {
    const { graph, valve, source, clock, handle } = await connected("mirror");
    source.answer = (all) => ({ failed: all, error: new Error("no such address"), permanent: true });
    valve.target = 30;
    valve.target = 35;
    const origins: unknown[] = [];
    graph.onChange(({ property, origin }) => property === "target" && origins.push(origin));
    await clock.advance(millis(8));
    expect([valve.target, origins, handle.diagnostics.queueDepth]).toEqual([20, [{ from: "m" }], 0]);
    const writes = source.written.length;
    await clock.advance(seconds(120));
    expect(source.written).toHaveLength(writes);
    await graph.close();
  });

  // @proves subjects.sources.parked-writes
  test("keeps parked writes over a reconnect unless a newer local one took their place, and they beat the snapshot", async () => {
    const { graph, valve, source, clock } = await connected("mirror");
    source.context?.disconnected(new Error("x"));
    valve.target = 30;
    valve.open = true;
    valve.target = 31;
    await clock.advance(seconds(5));
    expect(source.written).toEqual([]);
    source.snapshot = [{ path: "valve/target", value: 5 }, { path: "valve/open", value: false }, { path: "valve/mode", value: "manual" }];
    await clock.advance(seconds(5));
    expect([valve.target, valve.open, valve.mode]).toEqual([31, true, "manual"]);
    expect(source.written.flat().map(({ property, value }) => [property, value])).toEqual([["open", true], ["target", 31]]);
    await graph.close();
  });

  // @proves subjects.sources.stop-flush
  test("flushes at most 5 s when it is stopped", async () => {
    const { valve, source, handle, clock } = await connected("mirror");
    valve.target = 30;
    await handle.stop();
    expect(source.calls.slice(-2)).toEqual(["write target=30", "stop"]);
    const second = await connected("mirror");
    second.source.answer = () => new Promise(() => {});
    second.valve.target = 30;
    const stopping = second.handle.stop();
    await second.clock.advance(seconds(4));
    expect(second.handle.state).toBe("synchronized");
    await second.clock.advance(seconds(1));
    await stopping;
    expect([second.handle.state, second.source.calls.at(-1)]).toEqual(["stopped", "stop"]);
    expect(clock.pending).toBe(0);
  });

  test("waits for the device when asked, and leaves the model alone when it cannot", async () => {
    const { graph, valve, source } = await connected("mirror");
    await expect(graph.set("/m/valve/target", 30)).resolves.toMatchObject({ status: "queued", value: 30 });
    await expect(graph.set("/m/valve/target", 40, { await: "device" })).resolves.toMatchObject({ status: "acknowledged", value: 40 });
    source.answer = (all) => ({ failed: all, error: new Error("no") });
    await expect(graph.set("/m/valve/target", 50, { await: "device" })).rejects.toMatchObject({ code: "SOURCE_REJECTED" });
    source.context?.disconnected(new Error("x"));
    await expect(graph.set("/m/valve/target", 50, { await: "device" })).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
    expect(valve.target).toBe(40);
    await graph.close();
  });
});

describe("diagnostics", () => {
  // @proves subjects.sources.diagnostics
  test("are a subject below /system/sources, with a sticky last error and rates that are null until measured", async () => {
    const { graph } = openGraph();
    const source = scriptedSource({ valve: Valve.create() });
    const handle = graph.addSource("my source/1", source, { mount: "/m" });
    const path = "/system/sources/my source%2F1";
    expect(graph.find(path)?.$path).toBe(path);
    const read = (...names: string[]) => names.map((name) => graph.get(`${path}/${name}`));
    expect(read("operational", "state", "lastError", "inPerSecond", "outPerSecond", "queueDepth", "dropped", "claimed")).toEqual([false, "unclaimed", null, null, null, 0, 0, 0]);
    await handle.start();
    expect(read("operational", "state", "claimed")).toEqual([true, "synchronized", 4]);
    source.context?.disconnected(new Error("cable"));
    expect(read("operational", "state", "lastError", "since")).toEqual([false, "synchronizing", "cable", new Date(graph.clock.now()).toISOString()]);
    await graph.close();
    expect(read("state", "lastError")).toEqual(["stopped", "cable"]);
  });

  test("rates are over the last minute", async () => {
    const { graph, source, handle, clock } = await connected();
    for (let i = 0; i < 60; i++) {
      source.context?.write([{ path: "valve/flow", value: i % 40 }, { path: "valve/target", value: i }]);
      await clock.advance(seconds(1));
    }
    expect(handle.diagnostics.inPerSecond).toBeCloseTo(2, 1);
    expect(graph.get("/system/sources/m/inPerSecond")).toBeGreaterThan(1.9);
    await clock.advance(seconds(61));
    expect([handle.diagnostics.inPerSecond, handle.diagnostics.outPerSecond]).toEqual([0, null]);
    await graph.close();
  });

  // @proves subjects.mounts.system-not-recursive
  test("do not record their own recording", async () => {
    const { graph, handle, clock } = await connected();
    let changes = 0;
    graph.onChange(() => void (changes += 1));
    await clock.advance(seconds(100));
    expect(handle.diagnostics.inPerSecond).not.toBeNull();
    const settled = changes;
    expect(settled).toBeLessThan(30);
    await graph.close();
  });

  // @proves subjects.sources.wait-for-sync
  test("waiting for a branch answers the worst of the sources on its line", async () => {
    const { graph, clock } = openGraph();
    const add = (name: string, mount: string): ScriptedSource => {
      const source = scriptedSource();
      graph.addSource(name, source, { mount });
      return source;
    };
    const [house, farm] = [add("house", "/house"), add("farm", "/farm")];
    expect(graph.syncState("/house/hall")).toBe("incomplete");
    await graph.sources.get("house")?.start();
    expect([graph.syncState("/house/hall"), graph.syncState("/house"), graph.syncState("/"), graph.syncState("/housewarming")]).toEqual(["synchronized", "synchronized", "incomplete", "synchronized"]);
    farm.failStart = new Error("x");
    const waiting = graph.waitForSync("/");
    await graph.sources.get("farm")?.start();
    farm.failStart = undefined;
    await clock.advance(seconds(15));
    await expect(waiting).resolves.toBe("synchronized");
    house.context?.disconnected(new Error("x"));
    expect([graph.syncState("/house"), graph.syncState("/farm")]).toEqual(["stale", "synchronized"]);
    const abort = new AbortController();
    const aborted = graph.waitForSync("/house", abort.signal);
    abort.abort();
    await expect(aborted).resolves.toBe("stale");
    await graph.close();
    await expect(graph.waitForSync("/house")).resolves.toBe("stale");
  });
});
