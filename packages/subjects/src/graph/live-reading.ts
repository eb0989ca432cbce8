import type { GraphReading } from "../info/reading.ts";
import type { Owner } from "../info/standing.ts";
import { FIRST_CUT, type Node } from "../instance/node.ts";
import { slotValue } from "../instance/slot-access.ts";
import type { Engine } from "./engine.ts";
import { eachParent } from "./parents.ts";

export interface LiveDeps {
  readonly engine: () => Engine;
  readonly root: () => Node;
  readonly owner: (index: number) => Owner | undefined;
  readonly pathOf: (node: Node) => string | null;
  readonly now: () => number;
}

/** The graph as it is at this moment. */
export function createLiveReading({ engine, root, owner, pathOf, now }: LiveDeps): GraphReading {
  return {
    value: (node, slot) => slotValue(node, slot),
    layout: (node) => node.layout,
    standing: (node) => node.standing,
    owner,
    failed: (node, slot) => node.extra?.computations?.[slot]?.failed === true,
    say: (read) => read(),
    pathOf,
    now,
    root,
    has: (node) => node.core === engine(),
    eachParent: (node, visit) => eachParent(node, engine().lifecycle.showsCut, visit),
    hasOneParent: (node) =>
      node.parent !== null &&
      (node.flags & FIRST_CUT) === 0 &&
      (node.extra === null || node.extra.moreParents === null),
    structureRevision: () => engine().structureRevision,
    revision: () => engine().pulse.revision,
    *ofType(name) {
      for (const { nodes } of engine().index.bucketsOf(name)) yield* nodes;
    },
    countOfType: (name) =>
      engine()
        .index.bucketsOf(name)
        .reduce((sum, { nodes }) => sum + nodes.length, 0),
  };
}
