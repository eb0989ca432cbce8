import type { PathProvider } from "../info/providers.ts";
import type { GraphReading } from "../info/reading.ts";
import { ChildMap } from "../instance/child-map.ts";
import { eachChild } from "../instance/child-value.ts";
import { nodeOf } from "../instance/held.ts";
import type { Layout } from "../instance/layout.ts";
import type { Node } from "../instance/node.ts";
import { escapeName, escapeText } from "./path-text.ts";
import { compileSegments, type SegmentTable } from "./segment-table.ts";

/** The graph as one provider shows it. */
export interface PathSpace {
  readonly provider: PathProvider;
  readonly reading: GraphReading;
  table(node: Node): SegmentTable;
  /** Child slots that can be stepped through, in definition order. */
  visibleChildren(node: Node): readonly number[];
  isVisible(node: Node, slot: number): boolean;
  /** The printed step from a subject to one of its children. */
  step(node: Node, slot: number, key: string | number | null): string;
  /** The same for a bare collection: `[7]`. */
  hasVisibleChild(node: Node): boolean;
}

export function createPathSpace(provider: PathProvider, reading: GraphReading): PathSpace {
  const tables = new WeakMap<Layout, SegmentTable>();
  const passable = new WeakMap<Node, { readonly revision: number; readonly slots: Map<number, boolean> }>();

  function table(node: Node): SegmentTable {
    const layout = reading.layout(node);
    let known = tables.get(layout);
    if (known === undefined) tables.set(layout, (known = compileSegments(provider, reading, node)));
    return known;
  }

  function isVisible(node: Node, slot: number): boolean {
    const isIn = table(node).isIncluded[slot];
    return isIn === true || (isIn === false && isPassable(node, slot));
  }

  function isPassable(node: Node, slot: number): boolean {
    const revision = reading.structureRevision();
    let known = passable.get(node);
    if (known === undefined || known.revision !== revision)
      passable.set(node, (known = { revision, slots: new Map() }));
    let answer = known.slots.get(slot);
    if (answer === undefined) known.slots.set(slot, (answer = leadsToIncluded(node, slot)));
    return answer;
  }

  /** Is there, behind this slot, something included that cannot be reached through included properties alone? */
  function leadsToIncluded(start: Node, startSlot: number): boolean {
    const visited = new Set<Node>();
    const stack: Node[] = [];
    const visit = (value: unknown): void =>
      eachChild(value, (subject) => {
        const child = nodeOf(subject);
        if (visited.has(child)) return;
        visited.add(child);
        stack.push(child);
      });
    visit(reading.value(start, startSlot));
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      const { values, children } = table(node);
      if ((values.length > 0 || children.some((child) => child.included)) && !hasIncludedRoute(node)) return true;
      for (const child of children) visit(reading.value(node, child.slot));
    }
    return false;
  }

  function hasIncludedRoute(start: Node): boolean {
    const root = reading.root();
    const visited = new Set<Node>([start]);
    const stack = [start];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node === root) return true;
      reading.eachParent(node, (parent, slot) => {
        if (visited.has(parent) || table(parent).isIncluded[slot] !== true) return;
        visited.add(parent);
        stack.push(parent);
      });
    }
    return false;
  }

  function step(node: Node, slot: number, key: string | number | null): string {
    const { printed, bySegment } = table(node);
    const layout = reading.layout(node);
    const name = printed[slot] ?? escapeName(layout.slot(slot).name);
    if (key === null) return name;
    if (slot === layout.inlineSlot && typeof key === "string" && isPlainKey(key, bySegment, layout))
      return escapeName(key);
    return `${name}[${typeof key === "number" ? key : escapeText(key)}]`;
  }

  function visibleChildren(node: Node): readonly number[] {
    const { children, openChildren } = table(node);
    if (openChildren !== undefined) return openChildren;
    return children.filter((child) => child.included || isPassable(node, child.slot)).map((child) => child.slot);
  }

  function hasVisibleChild(node: Node): boolean {
    for (const slot of visibleChildren(node)) if (isFilled(reading.value(node, slot))) return true;
    return false;
  }

  return {
    provider,
    reading,
    table,
    visibleChildren,
    isVisible,
    step,
    hasVisibleChild,
  };
}

/** An inline key is a step of its own, unless that step already means something else. */
function isPlainKey(key: string, bySegment: ReadonlyMap<string, number>, { type }: Layout): boolean {
  if (key.length === 0 || key.startsWith("$") || bySegment.has(key)) return false;
  const at = key.indexOf("@");
  if (at <= 0) return true;
  const owner = key.slice(0, at);
  return !bySegment.has(owner) && !type.methods.has(owner);
}

function isFilled(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  if (value instanceof ChildMap) return value.size > 0;
  return Array.isArray(value) ? value.length > 0 : true;
}
