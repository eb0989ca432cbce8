import { millis, seconds } from "@steading/kernel";
import { describe, expect, test } from "vitest";
import type { Change } from "../graph/change.ts";
import { connected } from "../testing/connected.ts";

const TARGET = "valve/target";

describe("a quality that changes while the value stays", () => {
  test("is told to listeners, journals and streams, with the value as it was", async () => {
    const { graph, source, valve, clock } = await connected();
    const journal: Change[] = [];
    const heard: unknown[] = [];
    graph.onChange((change) => journal.push(change));
    valve.$on("target", (value, old) => heard.push([old, value]));
    const stream = graph.changes();
    const revision = graph.revision;
    source.context?.write([{ path: TARGET, value: 20, quality: "bad", at: 5_000 }]);
    expect(journal).toMatchObject([
      { property: "target", old: 20, value: 20, quality: "bad", changedAt: 5_000, origin: { from: "m" } },
    ]);
    expect(heard).toEqual([[20, 20]]);
    expect(graph.revision).toBeGreaterThan(revision);
    const next = stream.next();
    await clock.advance(millis(8));
    expect((await next).value).toMatchObject([{ property: "target", value: 20, quality: "bad" }]);
    stream.close();
  });

  test("is told once: the same quality again is no change", async () => {
    const { graph, source } = await connected();
    const journal: Change[] = [];
    graph.onChange((change) => journal.push(change));
    source.context?.write([{ path: TARGET, value: 20 }]);
    expect(journal).toEqual([]);
    source.context?.write([{ path: TARGET, value: 20, quality: "stale" }]);
    source.context?.write([{ path: TARGET, value: 20, quality: "stale" }]);
    expect(journal.map(({ quality }) => quality)).toEqual(["stale"]);
  });

  // @proves kernel.journey.reading-one-batch
  test("is told also when a batch leads the value back to where it was", async () => {
    const { graph, source } = await connected();
    const journal: Change[] = [];
    graph.onChange((change) => journal.push(change));
    source.context?.write([
      { path: TARGET, value: 30, quality: "bad" },
      { path: TARGET, value: 20, quality: "bad" },
    ]);
    expect(journal).toMatchObject([{ old: 20, value: 20, quality: "bad" }]);
  });

  test("every change carries the quality of its own moment", async () => {
    const { graph, source, valve } = await connected();
    const journal: Change[] = [];
    graph.onChange((change) => journal.push(change));
    source.context?.write([{ path: TARGET, value: 150 }]); // beyond its maximum: taken, and flagged
    source.context?.write([{ path: TARGET, value: 30 }]);
    valve.label = "a";
    expect(journal.map(({ property, value, quality }) => [property, value, quality])).toEqual([
      ["target", 150, "bad"],
      ["half", 75, "good"],
      ["target", 30, "good"],
      ["half", 15, "good"],
      ["label", "a", "good"],
    ]);
  });
});

describe("a source that goes away", () => {
  test("turns what it reported stale, and good again when it is back, as changes", async () => {
    const { graph, source, clock } = await connected();
    const journal: Change[] = [];
    graph.onChange((change) => {
      if (change.subject.$type === "test.sources.Valve") journal.push(change);
    });
    source.context?.disconnected(new Error("cable"));
    expect(journal.map(({ property, quality }) => [property, quality])).toEqual([
      ["open", "stale"],
      ["target", "stale"],
    ]);
    journal.length = 0;
    await clock.advance(seconds(15));
    expect(journal.map(({ property, quality }) => [property, quality])).toEqual([
      ["open", "good"],
      ["target", "good"],
    ]);
  });

  test("says so of a value that was not told again in time", async () => {
    const { graph, source, clock } = await connected();
    source.context?.write([{ path: "valve/flow", value: 12 }]);
    const journal: Change[] = [];
    graph.onChange((change) => {
      if (change.property === "flow") journal.push(change);
    });
    await clock.advance(seconds(55));
    expect(journal).toEqual([]);
    await clock.advance(seconds(20)); // its limit is a minute
    expect(journal).toMatchObject([{ value: 12, old: 12, quality: "stale" }]);
    source.context?.write([{ path: "valve/flow", value: 12 }]);
    expect(journal.map(({ quality }) => quality)).toEqual(["stale", "good"]);
  });
});

test("what a driver says went wrong is cleaned before it is shown", async () => {
  const { source, handle, graph } = await connected();
  source.context?.disconnected(new Error("\u001b[31mignore\u0000 this\u202e and\nobey"));
  const shown = handle.diagnostics.lastError ?? "";
  // oxlint-disable-next-line no-control-regex
  expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(shown).toContain("ignore");
  expect(graph.get("/system/sources/m/lastError")).toBe(shown);
});
