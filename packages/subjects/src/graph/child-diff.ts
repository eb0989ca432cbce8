import { ChildMap } from "../instance/child-map.ts";
import { listOf } from "../instance/child-value.ts";
import { isSubject } from "../instance/held.ts";
import type { Subject } from "../instance/subject.ts";

export interface ChildDiff {
  readonly added: readonly (readonly [child: Subject, key: string | number | null])[];
  readonly removed: readonly (readonly [child: Subject, key: string | number | null])[];
  /** Kept, under another index. */
  readonly rekeyed: readonly (readonly [child: Subject, from: number, to: number])[];
}

const NOTHING: ChildDiff = { added: [], removed: [], rekeyed: [] };

/** The smallest difference between two values of one child slot. */
export function diffChildren(old: unknown, value: unknown): ChildDiff {
  if (old instanceof ChildMap || value instanceof ChildMap) return diffMaps(tableOf(old), tableOf(value));
  if (Array.isArray(old) || Array.isArray(value)) return diffLists(listOf(old), listOf(value));
  if (old === value) return NOTHING;
  return {
    added: isSubject(value) ? [[value, null]] : [],
    removed: isSubject(old) ? [[old, null]] : [],
    rekeyed: [],
  };
}

function tableOf(value: unknown): ReadonlyMap<string, Subject> {
  return ChildMap.peek(value instanceof ChildMap ? value : ChildMap.EMPTY);
}

function diffMaps(old: ReadonlyMap<string, Subject>, value: ReadonlyMap<string, Subject>): ChildDiff {
  const added: [Subject, string][] = [];
  const removed: [Subject, string][] = [];
  for (const [key, child] of old) if (value.get(key) !== child) removed.push([child, key]);
  for (const [key, child] of value) if (old.get(key) !== child) added.push([child, key]);
  return { added, removed, rekeyed: [] };
}

/** Equal ends are left alone; in between, each occurrence of a child is paired with its former ones in order. */
function diffLists(old: readonly Subject[], value: readonly Subject[]): ChildDiff {
  let start = 0;
  while (start < old.length && start < value.length && old[start] === value[start]) start += 1;
  const places = new Map<Subject, number[]>();
  for (let i = start; i < old.length; i++) {
    const child = old[i];
    if (child === undefined) continue;
    const known = places.get(child);
    if (known === undefined) places.set(child, [i]);
    else known.push(i);
  }
  const added: [Subject, number][] = [];
  const rekeyed: [Subject, number, number][] = [];
  for (let i = start; i < value.length; i++) {
    const child = value[i];
    if (child === undefined) continue;
    const from = places.get(child)?.shift();
    if (from === undefined) added.push([child, i]);
    else if (from !== i) rekeyed.push([child, from, i]);
  }
  const removed = [...places].flatMap(([child, left]) => left.map((i): [Subject, number] => [child, i]));
  return { added, removed, rekeyed };
}
