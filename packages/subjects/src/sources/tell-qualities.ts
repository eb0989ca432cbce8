import type { Origin } from "../graph/change.ts";
import type { Engine } from "../graph/engine.ts";
import { ownerIndex, receivedAt, setQuality, storedQuality } from "../info/standing.ts";
import type { Node } from "../instance/node.ts";
import { valueAt } from "../instance/stored-value.ts";

export interface TellQualities {
  /** Its owner came or went: what was good turns stale, or good again. */
  ofAll(): void;
  /** Time alone has made some of them stale. */
  ofAged(): void;
}

/** Tells of qualities that change without anything coming in. */
export function createTellQualities({
  engine,
  owner,
  origin,
}: {
  readonly engine: Engine;
  readonly owner: number;
  readonly origin: Origin;
}): TellQualities {
  function isGood(node: Node, slot: number): boolean {
    const { standing } = node;
    return (
      standing !== null &&
      ownerIndex(standing, slot) === owner &&
      storedQuality(standing, slot) === "good" &&
      valueAt(node, slot) !== null
    );
  }

  function inBatch(tell: (node: Node) => void): void {
    engine.delivery.batch(
      () => {
        for (const { nodes } of engine.index.buckets.values())
          for (const node of nodes) if (node.standing !== null) tell(node);
      },
      () => engine.time.renew(),
    );
  }

  return {
    ofAll() {
      inBatch((node) => {
        for (let slot = 0; slot < node.layout.slots.length; slot++)
          if (isGood(node, slot)) engine.requalify(node, slot, { origin });
      });
    },
    ofAged() {
      inBatch((node) => {
        for (const slot of node.layout.agingSlots) {
          const limit = node.layout.slots[slot]?.facets.maxAgeMs;
          const seen = receivedAt(node.standing, slot);
          if (limit === undefined || seen === undefined || engine.time.now() - seen <= limit) continue;
          if (!isGood(node, slot) || node.standing === null) continue;
          engine.keepStanding(node);
          // Remembered as stale, so that the next good one is told as well.
          setQuality(node.standing, slot, "stale");
          engine.requalify(node, slot, { origin });
        }
      });
    },
  };
}
