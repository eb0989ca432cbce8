import type { Clock } from "@steading/kernel";
import { withOverlay } from "../derived/tracking.ts";
import type { PathProvider } from "../info/providers.ts";
import type { GraphReading } from "../info/reading.ts";
import type { Owner } from "../info/standing.ts";
import type { Layout } from "../instance/layout.ts";
import type { Node } from "../instance/node.ts";
import { canonicalPath } from "../paths/canonical-path.ts";
import { eachParent } from "./parents.ts";
import { createView } from "./create-view.ts";
import type { Engine } from "./engine.ts";
import type { CapturedView } from "./graph.ts";
import { valueAt } from "../instance/stored-value.ts";

export interface Captures {
  take(): CapturedView;
}

export interface CapturesDeps {
  readonly engine: Engine;
  readonly reading: GraphReading;
  readonly ownPaths: PathProvider;
  readonly clock: Clock;
}

interface Reference {
  readonly parent: Node;
  readonly slot: number;
  readonly key: string | number | null;
}

interface Kept {
  readonly layout: Layout;
  readonly standing: readonly number[] | null;
  readonly values: Map<number, unknown>;
}

/** Roughly what a node costs that is kept, before any value of it: its entry, its map, its layout's reference. */
const NODE_BYTES = 160;
/** The entry of one value in its map. */
const VALUE_BYTES = 48;

/** Roughly what a kept value holds. What it refers to besides its own items is not looked into: it is mostly shared. */
function keptSize(value: unknown): number {
  if (typeof value === "string") return VALUE_BYTES + value.length * 2;
  if (value instanceof Uint8Array) return VALUE_BYTES + value.byteLength;
  if (Array.isArray(value)) return VALUE_BYTES + value.length * 8;
  if (value instanceof Map) return VALUE_BYTES + value.size * VALUE_BYTES;
  if (typeof value === "object" && value !== null) return VALUE_BYTES + Object.keys(value).length * VALUE_BYTES;
  return VALUE_BYTES;
}

/** Captures cost nothing when they are taken: what changes afterwards is kept as it was. */
export function createCaptures({ engine, reading: live, ownPaths, clock }: CapturesDeps): Captures {
  return {
    take() {
      engine.derived.catchUp();
      const capturedAt = clock.now();
      const revision = engine.pulse.revision;
      const root = live.root();
      const owners = new Map<number, Owner | undefined>();
      const kept = new Map<Node, Kept>();
      let keptValues = 0;
      let keptBytes = 0;
      const parents = new Map<Node, readonly Reference[]>();

      function keptFor(node: Node): Kept {
        let known = kept.get(node);
        if (known === undefined) {
          known = {
            layout: node.layout,
            standing: node.standing === null ? null : [...node.standing],
            values: new Map(),
          };
          kept.set(node, known);
          keptBytes += NODE_BYTES;
        }
        return known;
      }

      const stopKeeping = engine.addKeeper({
        keep(node, slot, old) {
          const { values } = keptFor(node);
          if (values.has(slot)) return;
          values.set(slot, old);
          keptValues += 1;
          keptBytes += keptSize(old);
        },
        keepRest: (node) => void keptFor(node),
        keepWhole(node) {
          if (!has(node)) return;
          const { values } = keptFor(node);
          node.layout.slots.forEach((_, slot) => {
            if (values.has(slot)) return;
            const present = valueAt(node, slot);
            values.set(slot, present);
            keptValues += 1;
            keptBytes += keptSize(present);
          });
        },
        keepParents(node) {
          if (parents.has(node)) return;
          const references: Reference[] = [];
          eachParent(node, false, (parent, slot, key) => void references.push({ parent, slot, key }));
          parents.set(node, references);
          keptBytes += NODE_BYTES + references.length * NODE_BYTES;
        },
      });

      function value(node: Node, slot: number): unknown {
        const known = kept.get(node)?.values;
        return known?.has(slot) === true ? known.get(slot) : valueAt(node, slot);
      }

      const layout = (node: Node): Layout => kept.get(node)?.layout ?? node.layout;
      /** Nobody has moved it since, or its references of then say that it was there. */
      const has = (node: Node): boolean => {
        const then = parents.get(node);
        return node === root || (then === undefined ? live.has(node) : then.length > 0);
      };
      const isOf = (node: Node, name: string): boolean =>
        node.layout.type.name === name || node.layout.type.interfaces.includes(name);

      const reading: GraphReading = {
        value,
        layout,
        standing: (node) => {
          const known = kept.get(node);
          return known === undefined ? node.standing : known.standing;
        },
        owner(index) {
          if (!owners.has(index)) owners.set(index, frozenOwner(live.owner(index)));
          return owners.get(index);
        },
        failed: (node, slot) => live.failed(node, slot),
        say: (read) => withOverlay(value, read),
        pathOf: (node) => canonicalPath(view.space(), node),
        now: () => capturedAt,
        root: () => root,
        has,
        eachParent(node, visit) {
          const then = parents.get(node);
          if (then === undefined) return live.eachParent(node, visit);
          for (const { parent, slot, key } of then) if (visit(parent, slot, key) === true) return;
        },
        hasOneParent: (node) => !parents.has(node) && live.hasOneParent(node),
        structureRevision: () => 0, // it never changes
        revision: () => revision,
        *ofType(name) {
          for (const node of live.ofType(name)) if (has(node)) yield node;
          for (const node of parents.keys()) if (isOf(node, name) && has(node) && !live.has(node)) yield node;
        },
        countOfType(name) {
          let count = 0;
          for (const _ of reading.ofType(name)) count += 1;
          return count;
        },
      };
      // Whether a source is connected is part of what was true then.
      for (let index = 1; live.owner(index) !== undefined; index++) owners.set(index, frozenOwner(live.owner(index)));

      const view = createView(reading, ownPaths);
      return Object.defineProperties(view, {
        capturedAt: { value: capturedAt },
        keptValues: { get: () => keptValues },
        bytes: { value: () => keptBytes },
        release: {
          value() {
            stopKeeping();
            kept.clear();
            parents.clear();
            keptBytes = 0;
          },
        },
      }) as typeof view & CapturedView; // the four members just defined are what it lacked
    },
  };
}

function frozenOwner(owner: Owner | undefined): Owner | undefined {
  return owner === undefined ? undefined : { name: owner.name, isSynchronized: owner.isSynchronized };
}
