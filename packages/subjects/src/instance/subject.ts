import type { Cancel } from "@steading/kernel";
import type { Graph } from "../graph/graph.ts";
import type { SubjectInfo } from "../info/subject-info.ts";

/** One thing in the graph. What is ours starts with `$`, so that a property may have any other name. */
export interface Subject {
  /** Made when first asked for, unless it was set. */
  readonly $id: string;
  /** The full name of its concrete type. */
  readonly $type: string;
  /** Canonical path, or null while it is not reachable from the root. */
  readonly $path: string | null;
  readonly $info: SubjectInfo;
  /** The graph it is attached to. */
  readonly $graph: Graph | null;
  /** Called inside the write, after it is committed. Silent while the subject is detached. */
  $on<K extends keyof this & string>(property: K, listener: (value: this[K], old: this[K], subject: this) => void): Cancel;
  $on(property: string, listener: (value: unknown, old: unknown, subject: Subject) => void): Cancel;
  /** Reads any property or attribute by name, dynamic ones too. */
  $get(property: string): unknown;
  /** Writes as the owner does: without regard to `writable`, with the type check. */
  $set(property: string, value: unknown): void;
  $children(property: string): ChildrenHandle;
}

/** Changes to a list or map, each made as a small difference. */
export interface ChildrenHandle {
  readonly size: number;
  get(key: string | number): Subject | undefined;
  /** Map: puts under the key. List: replaces at the index. */
  set(key: string | number, subject: Subject): void;
  delete(key: string | number): boolean;
  /** Lists only. */
  insert(index: number, subject: Subject): void;
  /** Lists only. */
  move(from: number, to: number): void;
  keys(): IterableIterator<string | number>;
}
