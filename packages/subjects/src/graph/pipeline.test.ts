import { describe, expect, test } from "vitest";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { openGraph, thing } from "../testing/test-graph.ts";
import { STAGES_OF_WRITE } from "./stage.ts";

describe("the stages of a write", () => {
  // @proves subjects.context.pipeline-order
  test("run in their order, derived values and listeners last", () => {
    const Room = defineSubject("test.pipeline.Room", {
      props: { t: p.number().writable() },
      derived: { twice: (s) => s.t * 2 },
    });
    const { graph, root } = openGraph();
    const room = Room.create({ t: 1 });
    root.link = room;
    const order: string[] = [];
    for (const at of STAGES_OF_WRITE)
      for (const when of ["before", "after"] as const)
        graph.extend({ at, when }, ({ property }) => void (property === "t" && order.push(`${when} ${at} ${room.t}`)));
    room.$on("t", () => order.push("listener"));
    room.t = 2;
    expect(order).toEqual([
      "before coerce 1",
      "after coerce 1",
      "before equality 1",
      "after equality 1",
      "before validate 1",
      "after validate 1",
      "before authorise 1",
      "after authorise 1",
      "before capture 1",
      "after capture 1",
      "before store 1",
      "after store 2",
      "before lifecycle 2",
      "after lifecycle 2",
      "before derived 2",
      "after derived 2",
      "before notify 2",
      "listener",
      "after notify 2",
    ]);
    order.length = 0;
    room.t = 2;
    expect(order).toEqual([]);
  });

  // @proves subjects.context.stages
  test("take extensions by priority, which may change the value or refuse", () => {
    const { graph, root } = openGraph();
    const order: string[] = [];
    graph.extend({ at: "coerce", when: "after", priority: 5 }, () => void order.push("late"));
    const cancel = graph.extend({ at: "coerce", when: "after", priority: -5 }, (write) => {
      order.push("early");
      if (write.property === "value") write.value = Math.round(Number(write.value));
    });
    graph.extend({ at: "authorise", when: "before" }, ({ property }) => {
      if (property === "name") throw new Error("not you");
    });
    root.value = 1.6;
    expect([root.value, order]).toEqual([2, ["early", "late"]]);
    expect(() => (root.name = "other")).toThrow("not you");
    expect(root.name).toBe("root");
    cancel();
    root.value = 2.5;
    expect(root.value).toBe(2.5);
    root.link = thing("a");
    expect(root.link?.$path).toBe("/link");
  });

  // @proves subjects.context.unknown-stage
  test("a stage that does not exist is refused when it is registered", () => {
    const { graph } = openGraph();
    expect(() => graph.extend({ at: "polish" as "store", when: "after" }, () => {})).toThrow(
      "the stages are coerce, equality",
    );
    expect(() => graph.extend({ at: "store", when: "around" as "after" }, () => {})).toThrow(
      "There is no place around store",
    );
  });
});

// @proves subjects.api.graph-calls
test("the graph finds, gets and sets by path", async () => {
  const { graph, root } = openGraph();
  root.link = thing("a");
  expect(graph.find("/link")).toBe(root.link);
  expect(graph.get("/link/name")).toBe("a");
  await expect(graph.set("/link/value", "4.5")).resolves.toEqual({ previous: null, value: 4.5, status: "applied" });
  expect(root.link?.$get("value")).toBe(4.5);
  expect(root.link?.$info.property("value")?.changedAt).toBe(graph.clock.now());
  await expect(graph.set("/nowhere", 1)).rejects.toMatchObject({
    code: "PATH_NOT_FOUND",
    details: { resolved: "/", missing: "nowhere" },
  });
  await expect(graph.set("/link", 1)).rejects.toMatchObject({ code: "NOT_A_PROPERTY" });
  await expect(graph.set("a[", 1)).rejects.toMatchObject({ code: "INVALID_PATH" });
  expect(() => graph.get("/nowhere")).toThrow(expect.objectContaining({ code: "PATH_NOT_FOUND" }));
  expect([graph.detach("/link"), graph.detach("/link"), root.link]).toEqual([true, false, null]);
  expect(() => graph.detach("/")).toThrow("The root cannot be detached");
});
