import { seconds } from "@steading/kernel";
import { describe, expect, test } from "vitest";
import { connected } from "../testing/connected.ts";
import { openGraph } from "../testing/test-graph.ts";
import { scriptedSource, Valve, type ScriptedSource } from "../testing/test-sources.ts";

describe("diagnostics", () => {
  // @proves subjects.sources.diagnostics
  test("are a subject below /system/sources, with a sticky last error and rates that are null until measured", async () => {
    const { graph } = openGraph();
    const source = scriptedSource({ valve: Valve.create() });
    const handle = graph.addSource("my source/1", source, { mount: "/m" });
    const path = "/system/sources/my source%2F1";
    expect(graph.find(path)?.$path).toBe(path);
    const read = (...names: string[]) => names.map((name) => graph.get(`${path}/${name}`));
    expect(
      read("operational", "state", "lastError", "inPerSecond", "outPerSecond", "queueDepth", "dropped", "claimed"),
    ).toEqual([false, "unclaimed", null, null, null, 0, 0, 0]);
    await handle.start();
    expect(read("operational", "state", "claimed")).toEqual([true, "synchronized", 4]);
    source.context?.disconnected(new Error("cable"));
    expect(read("operational", "state", "lastError", "since")).toEqual([
      false,
      "synchronizing",
      "cable",
      new Date(graph.clock.now()).toISOString(),
    ]);
    await graph.close();
    expect(read("state", "lastError")).toEqual(["stopped", "cable"]);
  });

  test("rates are over the last minute", async () => {
    const { graph, source, handle, clock } = await connected();
    for (let i = 0; i < 60; i++) {
      source.context?.write([
        { path: "valve/flow", value: i % 40 },
        { path: "valve/target", value: i },
      ]);
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
    expect([
      graph.syncState("/house/hall"),
      graph.syncState("/house"),
      graph.syncState("/"),
      graph.syncState("/housewarming"),
    ]).toEqual(["synchronized", "synchronized", "incomplete", "synchronized"]);
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
