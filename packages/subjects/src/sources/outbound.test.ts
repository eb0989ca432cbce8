import { millis, seconds } from "@steading/kernel";
import { describe, expect, test } from "vitest";
import { connected } from "../testing/connected.ts";
import { openGraph } from "../testing/test-graph.ts";
import { scriptedSource, Valve } from "../testing/test-sources.ts";

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
    expect(source.written[0]?.map(({ property, old, value }) => [property, old, value])).toEqual([
      ["target", 20, 40],
      ["open", false, true],
    ]);
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
    expect([handle.diagnostics.queueDepth, handle.diagnostics.dropped, handle.diagnostics.lastError]).toEqual([
      3,
      2,
      "busy",
    ]);
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
    source.snapshot = [
      { path: "valve/target", value: 5 },
      { path: "valve/open", value: false },
      { path: "valve/mode", value: "manual" },
    ];
    await clock.advance(seconds(5));
    expect([valve.target, valve.open, valve.mode]).toEqual([31, true, "manual"]);
    expect(source.written.flat().map(({ property, value }) => [property, value])).toEqual([
      ["open", true],
      ["target", 31],
    ]);
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
    await expect(graph.set("/m/valve/target", 40, { await: "device" })).resolves.toMatchObject({
      status: "acknowledged",
      value: 40,
    });
    source.answer = (all) => ({ failed: all, error: new Error("no") });
    await expect(graph.set("/m/valve/target", 50, { await: "device" })).rejects.toMatchObject({
      code: "SOURCE_REJECTED",
    });
    source.context?.disconnected(new Error("x"));
    await expect(graph.set("/m/valve/target", 50, { await: "device" })).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
    });
    expect(valve.target).toBe(40);
    await graph.close();
  });
});
