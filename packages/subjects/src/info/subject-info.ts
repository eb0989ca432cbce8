import type { Cancel } from "@steading/kernel";
import type { Facets } from "../define/facets.ts";
import type { CallContext, MethodKind } from "../define/method.ts";
import type { StandardSchema } from "../define/standard-schema.ts";
import type { JsonTypeName, ValueType } from "../define/value-type.ts";
import type { Quality } from "./quality.ts";

/** One thing in the graph. What is ours starts with `$`, so that a property may have any other name. */
export interface Subject {
  /** Made when first asked for, unless it was set. */
  readonly $id: string;
  /** The full name of its concrete type. */
  readonly $type: string;
  /** Canonical path, or null while it is not reachable from the root. */
  readonly $path: string | null;
  readonly $info: SubjectInfo;
  /** The graph it is attached to; `graphOf` gives it with its type. */
  readonly $graph: object | null;
  /** Called inside the write, after it is committed. Silent while the subject is detached. */
  $on<K extends keyof this & string>(
    property: K,
    listener: (value: this[K], old: this[K], subject: this) => void,
  ): Cancel;
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

/** A subject as the registry knows it. */
export interface SubjectInfo {
  readonly subject: Subject;
  readonly id: string;
  /** Full name of the concrete type. */
  readonly type: string;
  /** Full names of every interface it has, inherited ones included. */
  readonly interfaces: readonly string[];
  readonly path: string | null;
  /** From the definition's `title`, `icon` and `description`. */
  readonly title: string | undefined;
  readonly icon: string | undefined;
  readonly iconColor: string | undefined;
  readonly description: string | undefined;
  /** Ordinary properties, positioned ones first; attributes are not among them. */
  properties(): Iterable<PropertyInfo>;
  property(name: string): PropertyInfo | undefined;
  /** Declared methods. */
  methods(): Iterable<MethodInfo>;
  method(name: string): MethodInfo | undefined;
}

export type PropertyKind = "value" | "derived" | "one" | "list" | "map";

export interface PropertyInfo {
  readonly subject: SubjectInfo;
  /** Full name: `pressure`, or `pressure@minimum` for an attribute. */
  readonly name: string;
  readonly kind: PropertyKind;
  /** The shape if it holds subjects, also when it is derived. */
  readonly shape: "one" | "list" | "map" | undefined;
  readonly facets: Readonly<Facets>;
  /** As stored. Subjects for child properties. */
  readonly value: unknown;
  /** The declared type; undefined for child properties and for derived ones that say nothing. */
  readonly valueType: ValueType | undefined;
  /** JSON face: type name and format. */
  readonly type: JsonTypeName;
  readonly format: string | undefined;
  /** Outsiders may write it: the facet, and a derived property only with a setter. */
  readonly isWritable: boolean;
  readonly isDynamic: boolean;
  readonly isInline: boolean;
  readonly quality: Quality | "error";
  /** Epoch milliseconds, where it is known. */
  readonly changedAt: number | undefined;
  readonly receivedAt: number | undefined;
  /** Name of the source that owns it. */
  readonly source: string | undefined;
  readonly isAttribute: boolean;
  attributes(): Iterable<PropertyInfo>;
  attribute(name: string): PropertyInfo | undefined;
}

export interface MethodInfo {
  readonly name: string;
  readonly kind: MethodKind;
  readonly input?: StandardSchema;
  readonly output?: StandardSchema;
  readonly title?: string;
  readonly description?: string;
  readonly icon?: string;
  readonly position?: number;
  readonly requiresConfirmation?: boolean;
  /** Only ever stops or switches off; see `MethodSpec`. */
  readonly toward?: "safe";
  readonly timeoutMs?: number;
  readonly units?: Readonly<Record<string, string>>;
  /** False when its live attribute `isEnabled` says so. */
  readonly isEnabled?: boolean;
  invoke(args: object, context: CallContext): unknown;
}

export interface TypeInfo {
  readonly name: string;
  readonly description?: string;
  /** True unless said. */
  readonly isInterface?: boolean;
}
