import type { Subject } from "../instance/subject.ts";
import type { Origin } from "./change.ts";

/** The stages of a write, in their order. */
export const STAGES_OF_WRITE = [
  "coerce",
  "equality",
  "validate",
  "authorise",
  "capture",
  "store",
  "lifecycle",
  "derived",
  "notify",
] as const;
export type WriteStage = (typeof STAGES_OF_WRITE)[number];

export interface StagePlace {
  readonly at: WriteStage;
  readonly when: "before" | "after";
  /** Lower runs first. Default 0. */
  readonly priority?: number;
}

/** A write on its way. An extension may replace `value` before `store`, or throw to refuse. */
export interface WriteInProgress {
  readonly subject: Subject;
  readonly property: string;
  readonly old: unknown;
  value: unknown;
  readonly origin: Origin;
  /** It comes from outside the owning code: a tool, `graph.set`. */
  readonly outside: boolean;
}

export type Extension = (write: WriteInProgress) => void;
