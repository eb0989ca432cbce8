import type { AskedEffect, Cancel, Clock, Log, Outcome } from "@steading/kernel";
import type { PathProvider } from "../info/providers.ts";
import type { PropertyInfo, SubjectInfo } from "../info/subject-info.ts";
import type { Subject } from "../instance/subject.ts";
import type { Located, Resolution } from "../paths/resolution.ts";
import type { BranchSync, Source, SourceHandle, SourceOptions } from "../sources/source.ts";
import type {
  Change,
  ChangeStream,
  ChangeStreamOptions,
  LifecycleEvent,
  StructureStream,
  StructureStreamOptions,
} from "./change.ts";
import type { Extension, StagePlace } from "./stage.ts";
import type { GraphView } from "./view.ts";
import type { Registry } from "./registry.ts";
import type { Transaction, TransactionOptions } from "./transaction.ts";

export interface GraphOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Default: a `steading.Folder`, whose children are an inline map. */
  readonly root?: Subject;
  /** Decides what `$path` prints. Default `all()`. */
  readonly paths?: PathProvider;
}

/** The live object graph. */
export interface Graph extends GraphView {
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Registry;
  readonly services: Map<string, unknown>;
  /** Puts another root in place; what only the former one reached is detached. */
  replaceRoot(root: Subject): void;
  /**
   * Puts a subject in place. `parentPath` names a subject with an inline map, a subject whose `one` child is called
   * `key`, or a bare collection.
   */
  attach(parentPath: string, key: string | number, subject: Subject): void;
  /** Takes every reference to it away. False when it was not attached. */
  detach(target: string | Subject): boolean;
  /** The subject at the path, or null. */
  find(path: string): Subject | null;
  /** The value at the path. Throws PATH_NOT_FOUND. */
  get(path: string): unknown;
  /** An outsider's write: checks `writable`, converts, checks the range, and sends it where the truth is. */
  set(path: string, value: unknown, options?: WriteOptions): Promise<WriteResult>;
  /** The same, for a property that is already located. */
  write(property: PropertyInfo, value: unknown, options?: WriteOptions): Promise<WriteResult>;
  /** For library use: relative paths with `from`; null when nothing is there or `..` is ambiguous. */
  resolve(path: string, provider?: PathProvider, options?: { readonly from?: Subject }): Located | null;
  /** For tools: says why a path leads nowhere. */
  locate(path: string, provider?: PathProvider): Resolution;
  info(subject: Subject): SubjectInfo;
  batch<T>(work: () => T): T;
  transaction<T>(options: TransactionOptions, work: (tx: Transaction) => Promise<T> | T): Promise<T>;
  onChange(listener: (change: Change) => void): Cancel;
  onLifecycle(listener: (event: LifecycleEvent) => void): Cancel;
  changes(options?: ChangeStreamOptions): ChangeStream;
  structure(options?: StructureStreamOptions): StructureStream;
  /** Runs `extension` at a named stage of every write. */
  extend(place: StagePlace, extension: Extension): Cancel;
  /** Runs for every property of every subject at attach. */
  addInitialiser(initialise: (property: PropertyInfo) => void): Cancel;
  /** Evaluates a derived property again whose getter reads outside the graph. */
  recompute(subject: Subject, property: string): void;
  addSource(name: string, source: Source, options: SourceOptions): SourceHandle;
  readonly sources: ReadonlyMap<string, SourceHandle>;
  /** The worst state among the sources between the root and this branch, and below it. */
  syncState(branch: string): BranchSync;
  /** Waits until that is `synchronized`, or answers what it is when the signal ends the waiting. */
  waitForSync(branch: string, signal?: AbortSignal): Promise<BranchSync>;
  /** The graph as it is at this moment, kept by copying what changes later. Release it. */
  capture(): CapturedView;
  /** Stops sources and ends streams. */
  close(): Promise<void>;
}

export interface CapturedView extends GraphView {
  readonly capturedAt: number;
  /** Values kept because they changed since; what the capture costs. */
  readonly keptValues: number;
  /** Roughly the memory that takes, at this moment. */
  bytes(): number;
  release(): void;
}

export interface WriteOptions {
  readonly provider?: PathProvider;
  /** The door. A door-owned property cannot be set without it. */
  readonly perform?: (effect: AskedEffect) => Promise<Outcome>;
  /** For mirrors: wait for the device instead of writing locally first. */
  readonly await?: "device";
  readonly signal?: AbortSignal;
}

export interface WriteResult {
  readonly previous: unknown;
  /** What the model holds afterwards. */
  readonly value: unknown;
  readonly status: "applied" | "queued" | "acknowledged" | "confirmed";
  /** What the door reported. */
  readonly outcome?: Outcome;
}
