import type { ChildEntry } from "../graph/view.ts";
import type { Subject } from "../instance/subject.ts";
import type { Tree, WalkStart } from "./breadth-first.ts";
import { isVisible, visibleChildren } from "./describe-subject.ts";
import type { locateStart } from "./locate-target.ts";
import type { World } from "./tool-world.ts";

/** The visible graph as a walk sees it. */
export function visibleTree(world: World): Tree<Subject, ChildEntry> {
  const isLive = world.view === world.graph;
  return {
    children: (subject) => visibleChildren(world, subject),
    // A capture does not count references, so there every subject is remembered.
    isShared: (subject) => !isLive || world.graph.registry.refCount(subject) > 1,
  };
}

/** Where a walk begins: at a subject's children, or at the items of a bare collection. Can be gone through again. */
export function walkFrom(world: World, start: ReturnType<typeof locateStart>): WalkStart<Subject, ChildEntry> {
  if (start.kind === "subject") {
    const { subject } = start.subject;
    return { subject, branches: { [Symbol.iterator]: () => visibleChildren(world, subject)[Symbol.iterator]() } };
  }
  return {
    branches: {
      *[Symbol.iterator]() {
        for (const item of world.view.items(start.property, world.provider))
          if (isVisible(world, item.subject)) yield item;
      },
    },
  };
}
