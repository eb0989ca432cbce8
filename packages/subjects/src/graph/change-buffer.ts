import type { Subject } from "../instance/subject.ts";
import type { Change } from "./change.ts";

interface Entry {
  /** The newest. */
  change: Change;
  /** From before the first of them. */
  readonly old: unknown;
  readonly isDiscrete: boolean;
  isGone: boolean;
  /** The next entry of the same subject. */
  next: Entry | undefined;
}

/**
 * Changes for one reader, merged per property: oldest `old`, newest `value`. When it is full the oldest that may be
 * merged is given up, and its property is owed: the settled value is delivered in its place.
 */
export interface ChangeBuffer {
  readonly size: number;
  readonly dropped: number;
  /** What it keeps in memory, with what was given up and not cleared away yet, and what it owes. */
  readonly held: number;
  offer(change: Change, isDiscrete: boolean): void;
  take(): readonly Change[];
}

export function createChangeBuffer(
  limit: number,
  settled: (subject: Subject, property: string) => Change | undefined,
): ChangeBuffer {
  let order: Entry[] = [];
  /** Everything before it in `order` is gone or must not be merged. */
  let oldest = 0;
  /** Everything before it is gone. */
  let first = 0;
  let size = 0;
  let dropped = 0;
  let bySubject = new Map<Subject, Entry>();
  let owed = new Map<Subject, Set<string>>();
  let owing = 0;
  /** Beyond it, debts to subjects that have left the graph are struck off. */
  let auditAt = 2 * limit;

  function find(subject: Subject, property: string): Entry | undefined {
    for (let entry = bySubject.get(subject); entry !== undefined; entry = entry.next)
      if (entry.change.property === property && !entry.isGone && !entry.isDiscrete) return entry;
    return undefined;
  }

  function giveUpOne(): void {
    while (oldest < order.length && (order[oldest]?.isGone === true || order[oldest]?.isDiscrete === true)) oldest += 1;
    while (first < order.length && order[first]?.isGone === true) first += 1;
    const victim = order[oldest] ?? order[first];
    if (victim === undefined) return;
    victim.isGone = true;
    size -= 1;
    dropped += 1;
    owe(victim.change.subject, victim.change.property);
    // What is gone must not pile up behind a reader that has stalled.
    if (order.length - size > limit) clearAway();
  }

  function owe(subject: Subject, property: string): void {
    const properties = owed.get(subject);
    if (properties?.has(property) === true) return;
    if (properties === undefined) owed.set(subject, new Set([property]));
    else properties.add(property);
    owing += 1;
    if (owing > auditAt) strikeOff();
  }

  function isPaid(subject: Subject, property: string): boolean {
    const properties = owed.get(subject);
    if (properties?.delete(property) !== true) return false;
    owing -= 1;
    if (properties.size === 0) owed.delete(subject);
    return true;
  }

  function strikeOff(): void {
    for (const [subject, properties] of [...owed])
      for (const property of [...properties]) if (settled(subject, property) === undefined) isPaid(subject, property);
    auditAt = Math.max(2 * limit, 2 * owing);
  }

  function clearAway(): void {
    order = order.filter(({ isGone }) => !isGone);
    oldest = 0;
    first = 0;
    bySubject = new Map();
    for (const entry of order) link(entry);
  }

  function link(entry: Entry): void {
    const { subject } = entry.change;
    entry.next = bySubject.get(subject);
    bySubject.set(subject, entry);
  }

  return {
    get size() {
      return size;
    },
    get dropped() {
      return dropped;
    },
    get held() {
      return order.length + owing;
    },
    offer(change, isDiscrete) {
      const known = isDiscrete ? undefined : find(change.subject, change.property);
      if (known !== undefined) {
        known.change = change;
        return;
      }
      if (size >= limit) giveUpOne();
      const wasOwed = owing > 0 && isPaid(change.subject, change.property);
      const entry: Entry = {
        change,
        old: wasOwed ? undefined : change.old,
        isDiscrete,
        isGone: false,
        next: undefined,
      };
      link(entry);
      order.push(entry);
      size += 1;
    },
    take() {
      const batch: Change[] = [];
      for (const { change, old, isGone } of order)
        if (!isGone) batch.push(change.old === old ? change : { ...change, old });
      for (const [subject, properties] of owed)
        for (const property of properties) {
          const change = settled(subject, property);
          if (change !== undefined) batch.push(change);
        }
      order = [];
      oldest = 0;
      first = 0;
      size = 0;
      bySubject = new Map();
      if (owing > 0) owed = new Map();
      owing = 0;
      return batch;
    },
  };
}
