import { describe, expect, test } from "vitest";
import type { CapturedView } from "../graph/graph.ts";
import { at, callTool, errorOf } from "./testing/call-tool.ts";
import { openFarm } from "./testing/farm.ts";

describe("captures", () => {
  // @proves subjects.error.snapshot-not-found subjects.query.snapshot
  test("a capture shows what was, and an unknown one is SNAPSHOT_NOT_FOUND", async () => {
    const snapshots = new Map<string, CapturedView>();
    const { tools, graph, climate } = openFarm((config) => (config.snapshots = { open: (id) => snapshots.get(id) }));
    snapshots.set("s1", graph.capture());
    climate.target = 29;
    const ask = { path: "/barn/climate", depth: 0, includeProperties: true };
    expect(at(await callTool(tools, "query", { ...ask, snapshot_id: "s1" }), "subject", "target", "value")).toBe(21.5);
    expect(at(await callTool(tools, "query", ask), "subject", "target", "value")).toBe(29);
    expect(
      at(await callTool(tools, "get_property", { path: "/barn/climate/target", snapshot_id: "s1" }), "value"),
    ).toBe(21.5);
    expect(await errorOf(callTool(tools, "query", { snapshot_id: "gone" }))).toMatchObject({
      code: "SNAPSHOT_NOT_FOUND",
    });
    expect(
      await errorOf(callTool(openFarm().tools, "get_property", { path: "/name", snapshot_id: "s1" })),
    ).toMatchObject({ code: "SNAPSHOT_NOT_FOUND" });
  });
});

describe("set_properties", () => {
  // @proves subjects.extras.set-properties
  test("writes are one transaction: all of them, or none", async () => {
    const { tools, climate } = openFarm();
    const path = "/barn/climate";
    expect(
      await callTool(tools.extras, "set_properties", {
        writes: [
          { path: `${path}/target`, value: 25 },
          { path: `${path}/mode`, value: "auto" },
        ],
      }),
    ).toEqual({
      success: true,
      results: [
        { path: `${path}/target`, previousValue: 21.5, value: 25 },
        { path: `${path}/mode`, previousValue: "heat", value: "auto" },
      ],
    });
    const error = await errorOf(
      callTool(tools.extras, "set_properties", {
        writes: [
          { path: `${path}/target`, value: 26 },
          { path: `${path}/mode`, value: "warm" },
        ],
      }),
    );
    expect(error.code).toBe("TYPE_MISMATCH");
    expect([climate.target, climate.mode]).toEqual([25, "auto"]);
  });
});
