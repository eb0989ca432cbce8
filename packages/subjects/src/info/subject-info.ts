import type { Facets } from "../define/facets.ts";
import type { CallContext, MethodKind } from "../define/method.ts";
import type { StandardSchema } from "../define/standard-schema.ts";
import type { JsonTypeName, ValueType } from "../define/value-type.ts";
import type { Subject } from "../instance/subject.ts";
import type { Quality } from "./quality.ts";

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
