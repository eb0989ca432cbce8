import { describe, expect, test } from "vitest";
import { c } from "../define/c.ts";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import type { Subject } from "../instance/subject.ts";
import { isAttached, openGraph, thing } from "../testing/test-graph.ts";

describe("derived children", () => {
  const House = defineSubject("test.derived.House", {
    props: { pick: p.string().nullable().writable() },
    children: { rooms: c.map() },
    derived: {
      current: { get: (s): Subject | null => (s.pick === null ? null : (s.rooms.get(s.pick) ?? null)), child: "one" },
    },
  });

  // @proves subjects.derived.subject-valued
  test("a derived child property refers like a stored one", () => {
    const { graph, root } = openGraph();
    const [a, b] = [thing("a"), thing("b")];
    const house = House.create({ pick: "a", rooms: { a, b } });
    root.link = house;
    const parentCount = (subject: Subject) => graph.registry.refCount(subject);
    expect([house.current, parentCount(a), parentCount(b)]).toEqual([a, 2, 1]);
    house.pick = "b";
    expect([house.current, parentCount(a), parentCount(b)]).toEqual([b, 1, 2]);
    house.$children("rooms").delete("b");
    expect([house.current, isAttached(graph, b)]).toEqual([null, [false]]);
    root.link = null;
    root.link = house;
    house.pick = "a";
    expect(parentCount(a)).toBe(2);
  });

  test("a subject that exists only because it is computed is attached, and let go with its getter's answer", () => {
    const ghost = thing("ghost");
    const Haunted = defineSubject("test.derived.Haunted", {
      props: { dark: p.boolean().writable() },
      derived: { ghost: { get: (s): Subject | null => (s.dark ? ghost : null), child: "one" } },
    });
    const { graph, root } = openGraph();
    const haunted = Haunted.create({ dark: true });
    root.link = haunted;
    expect([isAttached(graph, ghost), ghost.$path, graph.registry.parents(ghost)]).toEqual([
      [true],
      "/link/ghost",
      [{ subject: haunted, property: "ghost", key: null }],
    ]);
    haunted.dark = false;
    expect(isAttached(graph, ghost)).toEqual([false]);
  });
});
