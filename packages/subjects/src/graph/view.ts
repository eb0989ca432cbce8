import type { PathProvider } from "../info/providers.ts";
import type { PropertyInfo, SubjectInfo } from "../info/subject-info.ts";
import type { Subject } from "../instance/subject.ts";
import type { Resolution } from "../paths/resolution.ts";

/** One state of the graph to read from: the live one, or a capture. Everything here answers at once, without awaiting. */
export interface GraphView {
  readonly root: Subject;
  /** Grows with every change. */
  readonly revision: number;
  /** Grows with every attach, detach and move. */
  readonly structureRevision: number;
  info(subject: Subject): SubjectInfo;
  /** Is it reachable from the root in this view? */
  has(subject: Subject): boolean;
  locate(path: string, provider?: PathProvider): Resolution;
  /** Canonical path as the provider prints it; null when it is hidden or unreachable. */
  pathOf(subject: Subject, provider?: PathProvider): string | null;
  /** All routes, shortest first, at most `limit` (default 16). */
  paths(subject: Subject, provider?: PathProvider, limit?: number): readonly string[];
  /** Properties that the provider exposes, with their segments, in listing order. Children are not among them. */
  exposed(
    subject: Subject,
    provider?: PathProvider,
  ): Iterable<{ readonly segment: string; readonly property: PropertyInfo }>;
  /** Visible children in definition, list and map order. `after` continues behind a step given out earlier. */
  children(subject: Subject, provider?: PathProvider, after?: string): Iterable<ChildEntry>;
  /** The children of one list or map, with steps like `[7]`. */
  items(collection: PropertyInfo, provider?: PathProvider, after?: string): Iterable<ChildEntry>;
  hasChildren(subject: Subject, provider?: PathProvider): boolean;
  /** Attached subjects of a concrete type or interface, by full name. */
  ofType(name: string): Iterable<Subject>;
  countOfType(name: string): number;
}

export interface ChildEntry {
  /** The printed step that leads there: `climate`, `stalls[7]`, an inline `pump`. */
  readonly step: string;
  readonly subject: Subject;
  readonly property: PropertyInfo;
  readonly key: string | number | null;
  /** The part of the step before the key; null where the key alone is the step. */
  readonly name: string | null;
}
