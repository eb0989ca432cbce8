import type { Cancel, Log } from "@steading/kernel";
import { SlotInfo } from "../info/node-info.ts";
import type { GraphReading } from "../info/reading.ts";
import type { PropertyInfo } from "../info/subject-info.ts";
import type { Node } from "../instance/node.ts";

/** Hooks that run for every property when its subject is attached, and may add attributes to it. */
export interface Initialisers {
  add(initialise: (property: PropertyInfo) => void): Cancel;
  run(nodes: readonly Node[]): void;
}

export function createInitialisers({
  reading,
  log,
}: {
  readonly reading: GraphReading;
  readonly log: Log;
}): Initialisers {
  const all = new Set<(property: PropertyInfo) => void>();
  return {
    add(initialise) {
      all.add(initialise);
      return () => void all.delete(initialise);
    },
    run(nodes) {
      if (all.size === 0) return;
      for (const node of nodes) {
        // The list as it is before: an initialiser that adds a property is not called for its own addition.
        for (const slot of [...node.layout.listed]) {
          for (const initialise of all) {
            try {
              initialise(new SlotInfo(reading, node, slot));
            } catch (error) {
              log.error("A property initialiser failed.", error, { type: node.layout.type.name });
            }
          }
        }
      }
    },
  };
}
