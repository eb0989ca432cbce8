import type { MethodInfo, PropertyInfo, SubjectInfo } from "../info/subject-info.ts";

/** What a path leads to. `path` is the canonical way to print the route that was taken. */
export type Located =
  | { readonly kind: "subject"; readonly path: string; readonly subject: SubjectInfo }
  /** A value, derived or attribute property. */
  | { readonly kind: "property"; readonly path: string; readonly subject: SubjectInfo; readonly property: PropertyInfo }
  /** A bare list or map. */
  | {
      readonly kind: "collection";
      readonly path: string;
      readonly subject: SubjectInfo;
      readonly property: PropertyInfo;
    }
  | { readonly kind: "method"; readonly path: string; readonly subject: SubjectInfo; readonly method: MethodInfo };

export type Resolution = Located | InvalidPath | MissingPath;

export interface InvalidPath {
  readonly kind: "invalid";
  readonly message: string;
}

export interface MissingPath {
  readonly kind: "missing";
  readonly message: string;
  /** The longest part that exists. */
  readonly resolved: string;
  /** The first bad step, as it was typed. */
  readonly missing: string;
  /** At most five near names. */
  readonly suggestions: readonly string[];
  /** The step exists and is an empty reference. */
  readonly empty?: PropertyInfo;
}
