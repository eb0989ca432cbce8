import type { Node } from "../instance/node.ts";
import { joinPath } from "./path-text.ts";
import type { PathSpace } from "./path-space.ts";

interface Edge {
  readonly parent: Node;
  readonly slot: number;
  readonly key: string | number | null;
}

/**
 * The way from the root with the fewest steps; among equals the one through the oldest reference. Null when there is
 * none. Kept with the subject until the structure changes.
 */
export function canonicalPath(space: PathSpace, node: Node): string | null {
  const { reading } = space;
  const revision = reading.structureRevision();
  if (!reading.has(node)) return null;
  const known = cached(space, node, revision);
  if (known !== undefined) return known;
  const way = shortestWay(space, node, revision);
  const text = way === null ? null : print(space, way);
  remember(space, node, revision, text);
  return text;
}

interface Way {
  /** Printed path of where the edges start. */
  readonly base: string;
  /** From there down to the subject. */
  readonly edges: readonly Edge[];
}

/** Up through single parents, which most subjects have; from the first fork on, breadth first. */
function shortestWay(space: PathSpace, start: Node, revision: number): Way | null {
  const edges: Edge[] = [];
  const { reading } = space;
  const root = reading.root();
  let climbed: Set<Node> | undefined;
  let node = start;
  while (node !== root) {
    const known = node === start ? undefined : cached(space, node, revision);
    if (known !== undefined) return known === null ? null : { base: known, edges: edges.reverse() };
    // Only something that hangs in the air can go in circles through single parents; such chains are never short for long.
    if (edges.length > SURELY_SHORT) {
      climbed ??= new Set();
      if (climbed.has(node)) return null;
      climbed.add(node);
    }
    const only = onlyEdge(space, node);
    if (only === undefined) {
      const upper = searchUp(space, node);
      return upper === null ? null : { base: "/", edges: [...upper, ...edges.reverse()] };
    }
    edges.push(only);
    node = only.parent;
  }
  return { base: "/", edges: edges.reverse() };
}

const SURELY_SHORT = 64;

function onlyEdge(space: PathSpace, node: Node): Edge | undefined {
  if (node.parent === null || !space.reading.hasOneParent(node) || !space.isVisible(node.parent, node.parentSlot))
    return undefined;
  return { parent: node.parent, slot: node.parentSlot, key: node.parentKey };
}

function parentsOf(space: PathSpace, node: Node): Edge[] {
  const found: Edge[] = [];
  space.reading.eachParent(node, (parent, slot, key) => {
    if (space.isVisible(parent, slot)) found.push({ parent, slot, key });
  });
  return found;
}

/** Level by level, each level in the order of references: the first way to the root that turns up is the one. */
function searchUp(space: PathSpace, start: Node): Edge[] | null {
  const root = space.reading.root();
  const down = new Map<Node, { readonly edge: Edge; readonly child: Node } | null>([[start, null]]);
  const queue = [start];
  for (let i = 0; i < queue.length; i++) {
    const node = queue[i];
    if (node === undefined) break;
    for (const edge of parentsOf(space, node)) {
      if (down.has(edge.parent)) continue;
      down.set(edge.parent, { edge, child: node });
      if (edge.parent === root) return unwind(down, root);
      queue.push(edge.parent);
    }
  }
  return null;
}

function unwind(down: ReadonlyMap<Node, { readonly edge: Edge; readonly child: Node } | null>, root: Node): Edge[] {
  const edges: Edge[] = [];
  for (let next = down.get(root); next !== null && next !== undefined; next = down.get(next.child))
    edges.push(next.edge);
  return edges;
}

function print(space: PathSpace, { base, edges }: Way): string {
  let text = base;
  // Long chains are joined in one go: appending ten thousand times would build ten thousand strings.
  const steps = edges.map(({ parent, slot, key }) => space.step(parent, slot, key));
  if (steps.length > 0) text = joinPath(base, steps.join("/"));
  return text;
}

function cached(space: PathSpace, node: Node, revision: number): string | null | undefined {
  for (let entry = node.paths; entry !== null; entry = entry.next) {
    if (entry.space === space) return entry.revision === revision ? entry.text : undefined;
  }
  return undefined;
}

function remember(space: PathSpace, node: Node, revision: number, text: string | null): void {
  let rest = node.paths;
  let others = null;
  // Entries of other spaces that are still true are kept; the rest is let go.
  for (; rest !== null; rest = rest.next)
    if (rest.space !== space && rest.revision === revision) others = { ...rest, next: others };
  node.paths = { space, revision, text, next: others };
}

/** All ways without repeating a subject, shortest first, at most `limit`. */
export function allPaths(space: PathSpace, node: Node, limit: number): string[] {
  const root = space.reading.root();
  if (!space.reading.has(node)) return [];
  if (node === root) return ["/"];
  const found: string[] = [];
  let level: { readonly at: Node; readonly edges: readonly Edge[] }[] = [{ at: node, edges: [] }];
  let looked = 0;
  while (level.length > 0 && found.length < limit) {
    const next: typeof level = [];
    for (const { at, edges } of level) {
      for (const edge of parentsOf(space, at)) {
        if (++looked > MAX_LOOKED || found.length >= limit) return found;
        if (edge.parent === node || edges.some((each) => each.parent === edge.parent)) continue;
        const longer = [edge, ...edges];
        if (edge.parent === root) found.push(print(space, { base: "/", edges: longer }));
        else next.push({ at: edge.parent, edges: longer });
      }
    }
    level = next;
  }
  return found;
}

/** Steps that the search for all routes takes before it is content with what it has. */
const MAX_LOOKED = 20_000;
