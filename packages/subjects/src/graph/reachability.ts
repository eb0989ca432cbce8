import { eachChild } from "../instance/child-value.ts";
import { nodeOf } from "../instance/held.ts";
import { ROOT, type Node } from "../instance/node.ts";
import { eachParent } from "./parents.ts";

/** The answers of one settling. A subject once found reachable stays so: no way to the root leads through a lost one. */
export interface Reach {
  readonly reachable: Set<Node>;
  /** In the order of discovery: parents before the children that go with them. */
  readonly lost: Set<Node>;
}

export function createReach(): Reach {
  return { reachable: new Set(), lost: new Set() };
}

/** Walks up the references in search of the root. In a tree that is the depth. */
function isReachable(start: Node, reach: Reach): boolean {
  if (reach.reachable.has(start)) return true;
  if (reach.lost.has(start)) return false;
  const visited = new Set<Node>([start]);
  const stack = [start];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if ((node.flags & ROOT) !== 0 || reach.reachable.has(node)) {
      reach.reachable.add(start);
      return true;
    }
    eachParent(node, false, (parent) => {
      if (visited.has(parent) || reach.lost.has(parent)) return;
      visited.add(parent);
      stack.push(parent);
    });
  }
  return false;
}

/** Adds everything that is lost together with `start`: its descendants that have no other way to the root. */
export function collectLost(start: Node, reach: Reach): void {
  if (isReachable(start, reach)) return;
  const queue = [start];
  reach.lost.add(start);
  for (let i = 0; i < queue.length; i++) {
    const node = queue[i];
    if (node === undefined) break;
    for (const slot of node.layout.childSlots) {
      eachChild(node.values[slot], (subject) => {
        const child = nodeOf(subject);
        if (reach.lost.has(child) || child.core !== node.core || isReachable(child, reach)) return;
        reach.lost.add(child);
        queue.push(child);
      });
    }
  }
}
