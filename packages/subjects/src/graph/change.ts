import type { Quality } from "../info/quality.ts";
import type { Subject } from "../instance/subject.ts";

/**
 * Who made a change. `from`: stored exactly as the source sent it. `confirmedBy`: a commit that the source acknowledged.
 * Everything else, derived values and corrected ones included, is `local`.
 */
export type Origin = "local" | { readonly from: string } | { readonly confirmedBy: string };

export interface Change {
  readonly subject: Subject;
  /** Full name, `prop@attr` for an attribute. */
  readonly property: string;
  /** Undefined for a property that did not exist before, and for a value whose history was dropped. */
  readonly old: unknown;
  /** The same as `old` when only the quality changed. */
  readonly value: unknown;
  /** Of the value, at the moment of the change. */
  readonly quality: Quality | "error";
  /** One counter for the whole graph. */
  readonly revision: number;
  readonly changedAt: number;
  readonly receivedAt: number;
  readonly origin: Origin;
}

export interface ChangeStreamOptions {
  readonly filter?: (change: Change) => boolean;
  /** Default 8. */
  readonly bufferMs?: number;
  /** Default 100 000 properties with something to tell. */
  readonly maxPending?: number;
}

/** Batches of changes, merged per property. Break out of the loop, or call `return`, to end it. */
export interface ChangeStream extends AsyncIterableIterator<readonly Change[]> {
  /** Changes whose own record was given up; the settled value was, or will be, delivered in their place. */
  readonly dropped: number;
  readonly pending: number;
  close(): void;
}

/** What happened to a subject's place in the graph. */
export interface StructureEvent {
  readonly kind: "attached" | "detached" | "referenceAdded" | "referenceRemoved";
  readonly subject: Subject;
  /** The reference that came or went; null for the root. */
  readonly parent: Subject | null;
  readonly property: string | null;
  readonly key: string | number | null;
  /** Canonical path where it is, or where it was. */
  readonly path: string | null;
  readonly revision: number;
}

export interface StructureStreamOptions {
  readonly bufferMs?: number;
  readonly maxPending?: number;
}

export interface StructureStream extends AsyncIterableIterator<readonly StructureEvent[]> {
  /** Events given up. When it grows, read the graph again. */
  readonly dropped: number;
  readonly pending: number;
  close(): void;
}

/** Flags as lifecycle handlers get them: `contextAttach` and `contextDetach` come together with a reference flag. */
export interface LifecycleEvent {
  readonly subject: Subject;
  readonly contextAttach: boolean;
  readonly contextDetach: boolean;
  readonly referenceAdded: boolean;
  readonly referenceRemoved: boolean;
  readonly parent: Subject | null;
  readonly property: string | null;
  readonly key: string | number | null;
}
