import { millis, seconds } from "@steading/kernel";
import { describe, expect, test } from "vitest";
import { connected } from "../testing/connected.ts";
import { openGraph, thing } from "../testing/test-graph.ts";
import { openDoor, scriptedSource, Valve } from "../testing/test-sources.ts";
import type { Change } from "../graph/change.ts";

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
      return Promise.resolve([
        { path: "valve/target", value: 1 },
        { path: "valve/open", value: true },
      ]);
    };
    graph.onChange(({ property, value, revision: _ }) => {
      if (property === "target" || property === "open" || property === "state")
        order.push(`${property} ${String(value)} (open ${String(valve.open)})`);
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
    expect([handle.state, valve.$info.property("target")?.quality, valve.target, valve.$path]).toEqual([
      "synchronizing",
      "stale",
      20,
      "/m/valve",
    ]);
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
    for (const [jitter, expected] of [
      [0, 8_000],
      [1, 12_000],
    ] as const) {
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
    expect(logged.map(({ message }) => message)).toContain(
      "A property has an owner already; the second claim is refused.",
    );
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
  // @proves subjects.changes.origin-from subjects.sources.inbound-failure kernel.journey.reading-entry-shape
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
    expect(
      changes
        .filter(({ property }) => property !== "half")
        .map(({ property, origin, changedAt }) => [property, origin, changedAt]),
    ).toEqual([
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
  // @proves kernel.value.four-qualities kernel.value.nothing-guessed kernel.journey.reading-entry-shape
  test("values carry their quality: unknown before the first, bad beyond their range, as the source says otherwise", async () => {
    const { graph, valve, source } = await connected();
    const quality = (name: string) => valve.$info.property(name)?.quality;
    expect([valve.flow, quality("flow"), graph.get("/m/valve/flow@quality")]).toEqual([null, "unknown", "unknown"]);
    source.context?.write([
      { path: "valve/flow", value: 500 },
      { path: "valve/mode", value: "boost" },
    ]);
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

  // @proves subjects.quality.stale kernel.value.carries-seen-time
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
  // @proves subjects.sources.writes-default kernel.source.writes-door-by-default
  test("a source that says nothing is written through the door, and the model changes by the read-back alone", async () => {
    const { graph, valve, source, handle } = await connected();
    expect(handle.writes).toBe("door");
    await expect(graph.set("/m/valve/target", 30)).rejects.toMatchObject({
      code: "DOOR_NEEDED",
      hint: "Pass `perform`, the door, in the options.",
    });
    const door = openDoor(source);
    await expect(graph.set("/m/valve/target", "30", { perform: door.perform })).resolves.toMatchObject({
      previous: 20,
      value: 30,
      status: "acknowledged",
    });
    expect(door.effects[0]?.arguments).toEqual({ path: "/m/valve/target", value: 30, previous: 20 });
    for (const [stage, code] of [
      ["unknown", "TIMEOUT"],
      ["failed", "SOURCE_REJECTED"],
    ] as const) {
      await expect(
        graph.set("/m/valve/target", 40, { perform: openDoor(source, stage).perform }),
      ).rejects.toMatchObject({ code, details: { receipt: stage } });
      expect(valve.target).toBe(30);
    }
    await expect(graph.set("/m/valve/target", 400, { perform: door.perform })).rejects.toMatchObject({
      code: "OUT_OF_RANGE",
    });
    source.context?.disconnected(new Error("x"));
    await expect(graph.set("/m/valve/target", 50, { perform: door.perform })).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
      retryable: true,
    });
    expect([valve.target, door.effects.length]).toEqual([30, 1]);
    await graph.close();
  });
});
