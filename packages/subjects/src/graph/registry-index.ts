import type { Log } from "@steading/kernel";
import type { CompiledType } from "../instance/layout.ts";
import type { Node } from "../instance/node.ts";
import { subjectError } from "../subject-error.ts";

/** The attached subjects of one concrete type. */
export interface Bucket {
  readonly type: CompiledType;
  readonly nodes: Node[];
}

/** Every attached subject, by type, by interface and by id. */
export interface RegistryIndex {
  readonly count: number;
  readonly buckets: ReadonlyMap<string, Bucket>;
  add(node: Node): void;
  remove(node: Node): void;
  byId(id: string): Node | undefined;
  /** Claims an id for an attached subject; throws when another one has it. */
  assignId(node: Node, id: string): void;
  /** Buckets of a concrete type or of all types with an interface. */
  bucketsOf(name: string): readonly Bucket[];
  /** Makes a type known before it has subjects. */
  know(type: CompiledType): void;
}

export function createRegistryIndex(log: Log): RegistryIndex {
  const buckets = new Map<string, Bucket>();
  const byInterface = new Map<string, Bucket[]>();
  const ids = new Map<string, Node>();
  let count = 0;

  function bucketFor(type: CompiledType): Bucket {
    const known = buckets.get(type.name);
    if (known !== undefined) {
      if (known.type === type || (type.structure !== undefined && known.type.structure === type.structure))
        return known;
      throw subjectError(
        "DEFINITION_ERROR",
        `Two different definitions are called ${type.name}; a name stands for one.`,
      );
    }
    const bucket: Bucket = { type, nodes: [] };
    buckets.set(type.name, bucket);
    for (const name of type.interfaces) {
      const sharing = byInterface.get(name);
      if (sharing === undefined) byInterface.set(name, [bucket]);
      else sharing.push(bucket);
    }
    return bucket;
  }

  return {
    get count() {
      return count;
    },
    buckets,
    know: (type) => void bucketFor(type),
    add(node) {
      const { nodes } = bucketFor(node.layout.type);
      node.index = nodes.length;
      nodes.push(node);
      count += 1;
      if (node.id === null) return;
      const holder = ids.get(node.id);
      if (holder === undefined) ids.set(node.id, node);
      else
        log.warn("Two subjects have one id; the second cannot be found by it.", {
          id: node.id,
          type: node.layout.type.name,
        });
    },
    remove(node) {
      const nodes = buckets.get(node.layout.type.name)?.nodes;
      if (nodes === undefined || node.index === -1) return;
      const last = nodes.pop();
      if (last !== undefined && last !== node) {
        nodes[node.index] = last;
        last.index = node.index;
      }
      node.index = -1;
      count -= 1;
      if (node.id !== null && ids.get(node.id) === node) ids.delete(node.id);
    },
    byId: (id) => ids.get(id),
    assignId(node, id) {
      const holder = ids.get(id);
      if (holder !== undefined && holder !== node) {
        throw subjectError("CONFLICT", `Another attached subject has the id ${id}.`, { retryable: false });
      }
      ids.set(id, node);
    },
    bucketsOf(name) {
      const own = buckets.get(name);
      return own === undefined ? (byInterface.get(name) ?? []) : [own];
    },
  };
}
