import type { Log } from "@steading/kernel";
import { emptyStanding, clearStanding, ownerIndex, setOwner, type Owner } from "../info/standing.ts";
import type { Node } from "../instance/node.ts";

/** Which source owns which property. At most one each. */
export interface Ownership {
  /** Takes a source in; its number is what slots remember. */
  register(owner: Owner): number;
  unregister(index: number): void;
  owner(index: number): Owner | undefined;
  ownerOf(node: Node, slot: number): number;
  /** False, and a log line, when somebody else owns it. */
  claim(node: Node, slot: number, index: number): boolean;
  release(node: Node, slot: number): void;
  /** Everything of subjects that left the graph. */
  releaseAll(nodes: ReadonlySet<Node>): void;
  count(index: number): number;
}

export function createOwnership(log: Log, standingChanged: (node: Node) => void): Ownership {
  const owners: (Owner | undefined)[] = [undefined];
  const counts: number[] = [0];

  function lose(node: Node, slot: number): void {
    const index = ownerIndex(node.standing, slot);
    if (index !== 0) counts[index] = (counts[index] ?? 1) - 1;
  }

  return {
    register(owner) {
      counts.push(0);
      return owners.push(owner) - 1;
    },
    unregister(index) {
      owners[index] = undefined;
    },
    owner: (index) => owners[index],
    ownerOf: (node, slot) => ownerIndex(node.standing, slot),
    claim(node, slot, index) {
      const present = ownerIndex(node.standing, slot);
      if (present === index) return true;
      if (present !== 0 && owners[present] !== undefined) {
        log.warn("A property has an owner already; the second claim is refused.", {
          property: `${node.layout.type.name}.${node.layout.slot(slot).name}`,
          owner: owners[present].name,
          refused: owners[index]?.name ?? "",
        });
        return false;
      }
      node.standing ??= emptyStanding(node.layout.slots.length);
      while (node.standing.length < (slot + 1) * 3) clearStanding(node.standing, node.standing.length / 3);
      setOwner(node.standing, slot, index);
      counts[index] = (counts[index] ?? 0) + 1;
      standingChanged(node);
      return true;
    },
    release(node, slot) {
      if (node.standing === null) return;
      lose(node, slot);
      clearStanding(node.standing, slot);
    },
    releaseAll(nodes) {
      for (const node of nodes) {
        if (node.standing === null) continue;
        for (let slot = 0; slot < node.layout.slots.length; slot++) lose(node, slot);
        node.standing = null;
      }
    },
    count: (index) => counts[index] ?? 0,
  };
}
