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
  let size = 0;
  let dropped = 0;
  let bySubject = new Map<Subject, Entry>();
  let owed = new Map<Subject, Set<string>>();

  function find(subject: Subject, property: string): Entry | undefined {
    for (let entry = bySubject.get(subject); entry !== undefined; entry = entry.next)
      if (!entry.isGone && !entry.isDiscrete && entry.change.property === property) return entry;
    return undefined;
  }

  function giveUpOne(): void {
    while (oldest < order.length && (order[oldest]?.isGone === true || order[oldest]?.isDiscrete === true)) oldest += 1;
    const victim = order[oldest] ?? order.find((entry) => !entry.isGone);
    if (victim === undefined) return;
    victim.isGone = true;
    size -= 1;
    dropped += 1;
    const { subject, property } = victim.change;
    const properties = owed.get(subject);
    if (properties === undefined) owed.set(subject, new Set([property]));
    else properties.add(property);
  }

  return {
    get size() {
      return size;
    },
    get dropped() {
      return dropped;
    },
    offer(change, isDiscrete) {
      const known = isDiscrete ? undefined : find(change.subject, change.property);
      if (known !== undefined) {
        known.change = change;
        return;
      }
      if (size >= limit) giveUpOne();
      const wasOwed = owed.size > 0 && owed.get(change.subject)?.delete(change.property) === true;
      const entry: Entry = {
        change,
        old: wasOwed ? undefined : change.old,
        isDiscrete,
        isGone: false,
        next: bySubject.get(change.subject),
      };
      bySubject.set(change.subject, entry);
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
      size = 0;
      bySubject = new Map();
      owed = new Map();
      return batch;
    },
  };
}
