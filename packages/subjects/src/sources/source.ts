import type { AskedEffect, Json, Log } from "@steading/kernel";
import type { Change } from "../graph/change.ts";
import type { Quality } from "../info/quality.ts";
import type { PropertyInfo } from "../info/subject-info.ts";
import type { Subject } from "../instance/subject.ts";

/** A value from the outside system. */
export type Update = UpdateTarget & {
  readonly value: unknown;
  /** Epoch milliseconds when it was true out there. Default: the moment of the write. */
  readonly at?: number;
  /** Default `good`. */
  readonly quality?: Quality;
};
export type UpdateTarget = { readonly path: string } | { readonly subject: Subject; readonly property: string };

export interface SourceContext {
  /** Puts values into the graph in one batch. Properties that nobody owns are claimed by the way. */
  write(updates: readonly Update[]): void;
  /** Path is relative to the mount, or absolute below it. */
  attach(parentPath: string, key: string | number, subject: Subject): void;
  detach(subject: Subject): void;
  /** Owns properties from here on; all value properties of the subject when no names are given. False for each refused. */
  claim(subject: Subject, properties?: readonly string[]): boolean;
  /** The outside is gone: values turn stale and the host starts over after its delay. */
  disconnected(reason: unknown): void;
  readonly mount: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface SourceWrite {
  readonly subject: Subject;
  readonly property: PropertyInfo;
  readonly path: string;
  readonly value: Json;
  readonly previous: Json | undefined;
}

export interface WriteOutcome {
  readonly failed: readonly Change[];
  readonly error?: unknown;
  /** Failures that repeating will not mend: unknown address, type mismatch, access denied. */
  readonly permanent?: boolean | readonly Change[];
}

/** A connector whose outside system owns the truth of some properties. */
export interface Source {
  /** Default `door`. */
  readonly writes?: "door" | "mirror";
  start(context: SourceContext): Promise<void>;
  /** A full snapshot. */
  load(signal: AbortSignal): Promise<readonly Update[]>;
  /** Mirrors only. Build payloads from `changes` alone: the model may be ahead of them. */
  writeChanges?(changes: readonly Change[], signal: AbortSignal): Promise<WriteOutcome>;
  /** Door sources: what one write does outside. The graph changes only when its read-back comes in. */
  effectFor?(write: SourceWrite): AskedEffect;
  stop(): Promise<void>;
}

export interface SourceOptions {
  /** Where its subjects hang; folders on the way are made. */
  readonly mount: string;
  /** Default 1000. */
  readonly retryLimit?: number;
  /** Between 0 and 1, to spread reconnects. Default `Math.random`. */
  readonly jitter?: () => number;
  /** Inbound updates kept while connecting. Default 10 000. */
  readonly inboundLimit?: number;
}

export type SyncState = "unclaimed" | "synchronizing" | "synchronized" | "stopped";
export type BranchSync = "synchronized" | "stale" | "incomplete";

export interface SourceHandle {
  readonly name: string;
  readonly writes: "door" | "mirror";
  readonly mount: string;
  readonly state: SyncState;
  /** Writes wait or will be answered with SOURCE_UNAVAILABLE while this is false. */
  readonly available: boolean;
  readonly source: Source;
  readonly diagnostics: SourceDiagnostics;
  start(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
  /** Flushes what a mirror still has to send. */
  flush(signal?: AbortSignal): Promise<void>;
}

export interface SourceDiagnostics {
  readonly operational: boolean;
  readonly state: SyncState;
  readonly since: number;
  readonly lastError: string | null;
  /** Per second over 60 s; null when nothing was measured. */
  readonly inPerSecond: number | null;
  readonly outPerSecond: number | null;
  readonly queueDepth: number;
  readonly dropped: number;
  readonly claimed: number;
}
