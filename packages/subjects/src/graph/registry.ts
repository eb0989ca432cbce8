import type { Facets } from "../define/facets.ts";
import type { Property } from "../define/property.ts";
import type { MethodInfo, PropertyInfo, SubjectInfo } from "../info/subject-info.ts";
import type { TypeEntry, TypeProvider } from "../info/providers.ts";
import type { Subject } from "../instance/subject.ts";

export interface ParentEntry {
  readonly subject: Subject;
  readonly property: string;
  readonly key: string | number | null;
}

/** Index of everything attached. */
export interface Registry {
  readonly count: number;
  /** Undefined when it is not attached. */
  get(subject: Subject): SubjectInfo | undefined;
  byId(id: string): Subject | undefined;
  /** By full name; subjects that implement it or anything that extends it. */
  byInterface(name: string): readonly Subject[];
  byType(name: string): readonly Subject[];
  countOf(name: string): number;
  /** As they are when called; later changes do not show. */
  subjects(): Iterable<Subject>;
  /** Oldest reference first. */
  parents(subject: Subject): readonly ParentEntry[];
  refCount(subject: Subject): number;
  properties(subject: Subject): readonly PropertyInfo[];
  methods(subject: Subject): readonly MethodInfo[];
  property(subject: Subject, name: string): PropertyHandle;
  addProperty(subject: Subject, name: string, property: Property, value?: unknown): PropertyHandle;
  addDerived(
    subject: Subject,
    name: string,
    get: (subject: Subject) => unknown,
    options?: DerivedOptions,
  ): PropertyHandle;
  addAttribute(subject: Subject, owner: string, name: string, spec: AttributeSpec): PropertyHandle;
  /** Says something else about a property of one subject, in place: discovery may tell of another unit or range. */
  setFacets(subject: Subject, name: string, facets: Facets): void;
  /** Dynamic ones only. */
  removeProperty(subject: Subject, name: string): void;
  id(subject: Subject): string;
  setId(subject: Subject, id: string): void;
  addTypeProvider(provider: TypeProvider): void;
  /** Every known type, duplicates by name dropped (the first wins), sorted by name. */
  types(): readonly TypeEntry[];
  /** Full names for what was asked: itself, or the unique type whose last part it is. Several: the caller must choose. */
  matchType(name: string): readonly string[];
}

export interface PropertyHandle extends PropertyInfo {
  addAttribute(name: string, spec: AttributeSpec): PropertyHandle;
}

export interface DerivedOptions extends Facets {
  readonly set?: (subject: Subject, value: unknown) => void;
}

/** A live attribute: computed (`get`, with an optional `set`), or stored (`property`, `value`). */
export type AttributeSpec =
  | {
      readonly get: (subject: Subject) => unknown;
      readonly set?: (subject: Subject, value: unknown) => void;
      readonly facets?: Facets;
    }
  | { readonly property?: Property; readonly value?: unknown };
