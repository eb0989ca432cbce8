/** Siblings looked at per call to find their order. Those further back stay in the order in which they came. */
const MAX_LOOKED = 5_000;

export interface PlacedHit {
  /** Below the start; one step per slash, since slashes inside names are escaped. */
  readonly path: string;
}

interface Branching {
  /** Position among its siblings; at first the order of arrival. */
  at: number;
  readonly prefix: string;
  readonly below: Map<string, Branching>;
}

/**
 * Hits of an index, put into the order of a breadth-first walk: level by level, siblings as their parent lists them. Looks
 * only at parents below which there are several hits, and only until all of those have been seen.
 */
export function inTreeOrder<H extends PlacedHit>(
  hits: readonly H[],
  siblings: (prefix: string) => Iterable<{ readonly step: string }>,
): H[] {
  const root: Branching = { at: 0, prefix: "", below: new Map() };
  const chains = hits.map((hit) => ({ hit, chain: chainOf(root, hit.path.split("/")) }));
  let left = MAX_LOOKED;
  const open: Branching[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.below.size > 1) left -= order(node, siblings(node.prefix), left);
    open.push(...node.below.values());
  }
  chains.sort((a, b) => compare(a.chain, b.chain));
  return chains.map(({ hit }) => hit);
}

function chainOf(root: Branching, steps: readonly string[]): Branching[] {
  const chain: Branching[] = [];
  let node = root;
  for (const step of steps) {
    let next = node.below.get(step);
    if (next === undefined) {
      const prefix = node.prefix === "" ? step : `${node.prefix}/${step}`;
      next = { at: node.below.size, prefix, below: new Map() };
      node.below.set(step, next);
    }
    chain.push(next);
    node = next;
  }
  return chain;
}

/** Numbers the children of a node as their parent lists them. Returns how many siblings it looked at. */
function order(node: Branching, siblings: Iterable<{ readonly step: string }>, most: number): number {
  if (most <= 0) return 0;
  // Whatever is not met within the bound comes after what is.
  for (const child of node.below.values()) child.at += most;
  let looked = 0;
  let missing = node.below.size;
  for (const { step } of siblings) {
    const child = node.below.get(step);
    if (child !== undefined) {
      child.at = looked;
      missing--;
    }
    looked++;
    if (missing === 0 || looked >= most) break;
  }
  return looked;
}

function compare(a: readonly Branching[], b: readonly Branching[]): number {
  if (a.length !== b.length) return a.length - b.length;
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i]?.at ?? 0) - (b[i]?.at ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
