import type { MethodInfo, PropertyInfo, SubjectInfo, TypeInfo } from "./subject-info.ts";

/** Adds to what the tools say about subjects, properties, methods and types. Cheap by contract: no I/O, nothing awaited. */
export interface MetadataProvider {
  subject?(s: SubjectInfo): Record<`$${string}`, unknown>;
  property?(p: PropertyInfo): { unit?: string; position?: number; isCumulative?: boolean; [k: string]: unknown };
  methods?(s: SubjectInfo): Iterable<MethodInfo>;
  types?(): Iterable<TypeInfo>;
}

export interface TypeEntry {
  readonly name: string;
  readonly description?: string;
  readonly isInterface: boolean;
  /** Undefined for a type that is known by name only. */
  readonly definition: TypeDefinition | undefined;
}

/** What a definition or interface tells about itself. */
export interface TypeDefinition {
  readonly name: string;
  readonly description?: string;
  /** Interfaces it extends or implements, inherited ones included. */
  readonly interfaces: readonly string[];
  readonly properties: readonly TypeProperty[];
  readonly methods: readonly Omit<MethodInfo, "invoke">[];
}

export interface TypeProperty {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly facets: PropertyInfo["facets"];
  readonly isWritable: boolean;
}

export interface TypeProvider {
  types(): Iterable<TypeEntry>;
}

/** Decides what is exposed and how it is named. */
export interface PathProvider {
  includes(p: PropertyInfo): boolean;
  /** The name in paths; null means the property's own. */
  segment(p: PropertyInfo): string | null;
  /** Default: the included property with that segment. */
  find?(s: SubjectInfo, segment: string): PropertyInfo | null;
}
