import type { Origin } from "../graph/change.ts";
import type { Quality } from "../info/quality.ts";
import type { SubjectInfo } from "../info/subject-info.ts";
import type { Layout } from "./layout.ts";
import type { Subject } from "./subject.ts";

/** Called inside the write. Several listeners of one slot are one function that fans out. */
export type Listener = (value: unknown, old: unknown, subject: Subject) => void;

/** Above any number of batches and observers: one addition says both "closed" and "a listener runs". */
export const DELIVERING = 1 << 24;

/**
 * What the quick write has to look at. Closed while anything but plain listeners wants to know of writes (a batch, a
 * journal, a stream, a delivery under way); then the long way is taken.
 */
export class Pulse {
  /** How many reasons there are to be closed; a listener that runs counts as `DELIVERING` of them. */
  closed: number;
  revision = 0;
  /** Something waits to be told. */
  waiting = false;
  readonly core: Core | null;

  constructor(core: Core | null, closed = 0) {
    this.core = core;
    this.closed = closed;
  }

  /** A listener is running: whatever it writes is told after it. */
  get delivering(): boolean {
    return this.closed >= DELIVERING;
  }
}

/** The pulse of everything that must take the long way: detached subjects, those that feed derived values or have an owner. */
export const SHUT = new Pulse(null, 1);

export const ROOT = 1;
/** The inline parent reference is cut and waits for its batch to end. */
export const FIRST_CUT = 2;
/** Being detached: writes are stored, nobody is told. */
export const DEPARTING = 4;

export interface ParentRef {
  readonly node: Node;
  readonly slot: number;
  key: string | number | null;
  cut: boolean;
}

/** A derived property's claim on a slot that its getter read. */
export interface Link {
  readonly from: Node;
  readonly slot: number;
  readonly to: Computation;
  /** Its place among the links of the slot. */
  at: number;
  /** The evaluation that last read it. */
  stamp: number;
}

export const CLEAN = 0;
/** Something further up may have changed. */
export const CHECK = 1;
export const DIRTY = 2;
export const RUNNING = 3;

/** The live side of one derived property. */
export interface Computation {
  readonly node: Node;
  readonly slot: number;
  state: number;
  links: Link[];
  /** Next link expected, while the getter runs. */
  cursor: number;
  stamp: number;
  queued: boolean;
  /** Nobody looks at it, and it is not up to date. */
  isStale: boolean;
  /** Its getter has read other derived values, which have to be settled before it. */
  readsDerived: boolean;
  failed: boolean;
  /** It was found to depend on itself. */
  looped: boolean;
  /** It waits for what it depends on to be settled. */
  isWaiting: boolean;
  /** Messages that were logged already. */
  complaints: Set<string> | null;
  /** When the write that made it dirty was true. */
  triggeredAt: number;
}

/** A change that waits for delivery. */
export interface PendingChange {
  readonly node: Node;
  readonly slot: number;
  readonly old: unknown;
  value: unknown;
  quality: Quality | "error";
  /** The quality changed on the way, so it is worth telling even if the value is back where it was. */
  isRequalified: boolean;
  origin: Origin;
  revision: number;
  changedAt: number;
  receivedAt: number;
  readonly depth: number;
  isDelivered: boolean;
  /** Other pending changes of the same subject. */
  readonly next: PendingChange | null;
}

export interface PathEntry {
  readonly space: object;
  readonly revision: number;
  readonly text: string | null;
  readonly next: PathEntry | null;
}

/** What few subjects need, so that the others do not pay for it. */
export class Extra {
  /** By slot: who depends on it. */
  links: (Link[] | undefined)[] | null = null;
  /** By slot. */
  computations: (Computation | undefined)[] | null = null;
  pending: PendingChange | null = null;
  /** Bit `slot % 31` is clear: that slot surely has nothing pending. */
  pendingMask = 0;
  moreParents: ParentRef[] | null = null;
}

/** A subject's state. The subject itself is a thin face with accessors, so that a user's type never mixes with ours. */
export class Node {
  readonly subject: Subject;
  layout: Layout;
  values: unknown[];
  /** See `valueAt`. */
  readonly numbers: number[];
  /** The graph's own, while the quick write is allowed for this subject. */
  pulse: Pulse = SHUT;
  listeners: (Listener | null)[] | null = null;
  core: Core | null = null;
  /** By slot, three numbers each: when it changed, when it came in, and owner and quality. Null until a source owns something. */
  standing: number[] | null = null;
  flags = 0;
  /** The oldest reference is kept here, further ones in `extra`. */
  parent: Node | null = null;
  parentSlot = 0;
  parentKey: string | number | null = null;
  id: string | null = null;
  /** Position in its type's list of attached subjects. */
  index = -1;
  paths: PathEntry | null = null;
  extra: Extra | null = null;

  constructor(subject: Subject, layout: Layout) {
    this.subject = subject;
    this.layout = layout;
    this.values = layout.defaults.slice();
    this.numbers = layout.numbers.length === 0 ? layout.numbers : layout.numbers.slice();
  }
}

/** What a subject asks of the graph it belongs to. */
export interface Core {
  /** The public face. */
  readonly graph: object;
  /** A write by the owner: checked, not equal to what is there. */
  write(node: Node, slot: number, value: unknown): void;
  /** Sets one key of a map of children, or deletes it when `child` is undefined. */
  putChild(node: Node, slot: number, key: string, child: Subject | undefined): void;
  /** Brings a derived value up to date before it is read. */
  refresh(computation: Computation): void;
  listenersChanged(node: Node, slot: number): void;
  /** Makes sure that the id belongs to this subject alone. */
  idAssigned(node: Node, id: string): void;
  pathOf(node: Node): string | null;
  infoOf(node: Node): SubjectInfo;
  /** Tells what a listener's own writes left waiting. */
  flush(): void;
  listenerFailed(error: unknown, node: Node, slot: number): void;
}

export function extraOf(node: Node): Extra {
  return (node.extra ??= new Extra());
}
