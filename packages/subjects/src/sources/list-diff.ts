import { subjectError } from "../subject-error.ts";

/**
 * How one list became another. Removes are indices of the old list, descending; inserts and the target of a move are
 * indices of the new list; the origin of a move is an index after the removes. What is left fills the gaps in order.
 * `updates` replace single items in place.
 */
export interface ListDiff {
  readonly count: number;
  readonly removes?: readonly number[];
  readonly inserts?: readonly { readonly index: number; readonly id: string }[];
  readonly moves?: readonly { readonly from: number; readonly to: number }[];
  readonly updates?: readonly { readonly index: number; readonly id: string }[];
}

export function diffList(old: readonly string[], value: readonly string[]): ListDiff {
  const count = value.length;
  if (old.length === count) {
    const updates = value.flatMap((id, index) => (id === old[index] ? [] : [{ index, id }]));
    const moved = updates.some(({ id }) => old.includes(id));
    if (!moved) return updates.length === 0 ? { count } : { count, updates };
  }
  const places = new Map<string, number[]>();
  old.forEach((id, i) => places.set(id, [...(places.get(id) ?? []), i]));
  /** By new index: where it was. */
  const origin = value.map((id) => places.get(id)?.shift());
  const removed = [...places.values()].flat().sort((a, b) => b - a);
  const inserts = value.flatMap((id, index) => (origin[index] === undefined ? [{ index, id }] : []));
  const afterRemoves = new Map(
    old
      .map((_, i) => i)
      .filter((i) => !removed.includes(i))
      .map((i, at) => [i, at]),
  );
  const kept = origin.flatMap((from, to) => (from === undefined ? [] : [{ from: afterRemoves.get(from) ?? 0, to }]));
  const still = longestRising(kept.map(({ from }) => from));
  const moves = kept.filter((_, i) => !still.has(i));
  return {
    count,
    ...(removed.length === 0 ? {} : { removes: removed }),
    ...(inserts.length === 0 ? {} : { inserts }),
    ...(moves.length === 0 ? {} : { moves }),
  };
}

/** Positions of a longest rising subsequence: those items need not move. */
function longestRising(numbers: readonly number[]): Set<number> {
  const tails: number[] = [];
  const before: number[] = [];
  numbers.forEach((number, i) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[tails[middle] ?? 0] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    before[i] = low === 0 ? -1 : (tails[low - 1] ?? -1);
    tails[low] = i;
  });
  const kept = new Set<number>();
  for (let i = tails.at(-1) ?? -1; i !== -1; i = before[i] ?? -1) kept.add(i);
  return kept;
}

/** The new list. Throws when the difference does not fit the old one. */
export function applyListDiff(
  old: readonly string[],
  { count, removes = [], inserts = [], moves = [], updates = [] }: ListDiff,
): string[] {
  const left = [...old];
  let previous = left.length;
  for (const index of removes) {
    if (!isIndex(index, previous)) throw malformed(`removes ${index}`);
    left.splice(index, 1);
    previous = index;
  }
  const result: (string | undefined)[] = Array.from({ length: count });
  const place = (index: number, id: string | undefined): void => {
    if (!isIndex(index, count) || id === undefined || result[index] !== undefined)
      throw malformed(`puts something at ${index} of ${count}`);
    result[index] = id;
  };
  for (const { index, id } of inserts) place(index, id);
  const moved = new Set<number>();
  for (const { from, to } of moves) {
    if (!isIndex(from, left.length) || moved.has(from)) throw malformed(`moves ${from}`);
    moved.add(from);
    place(to, left[from]);
  }
  const rest = left.filter((_, i) => !moved.has(i));
  let next = 0;
  for (let i = 0; i < count; i++) if (result[i] === undefined) result[i] = rest[next++];
  if (next !== rest.length || result.some((id) => id === undefined))
    throw malformed(`does not add up to ${count} items`);
  for (const { index, id } of updates) {
    if (!isIndex(index, count)) throw malformed(`updates ${index} of ${count}`);
    result[index] = id;
  }
  return result.map((id) => id ?? "");
}

function isIndex(index: number, count: number): boolean {
  return Number.isInteger(index) && index >= 0 && index < count;
}

function malformed(what: string): Error {
  return subjectError("VALIDATION_FAILED", `The list update is malformed: it ${what}.`);
}
