import { extraOf, FIRST_CUT, type Node, type ParentRef } from "../instance/node.ts";

/** A subject's references, oldest first. The oldest lives in the node itself: most subjects never have a second. */
export function addParent(child: Node, parent: Node, slot: number, key: string | number | null): void {
  if (child.parent === null) {
    child.parent = parent;
    child.parentSlot = slot;
    child.parentKey = key;
    child.flags &= ~FIRST_CUT;
    return;
  }
  const extra = extraOf(child);
  (extra.moreParents ??= []).push({ node: parent, slot, key, cut: false });
}

/** References that count; cut ones wait for their batch to end. */
export function countParents(child: Node): number {
  if (child.parent === null) return 0;
  let count = (child.flags & FIRST_CUT) === 0 ? 1 : 0;
  for (const ref of child.extra?.moreParents ?? []) if (!ref.cut) count += 1;
  return count;
}

/** Oldest first. Returning true ends the walk. */
export function eachParent(
  child: Node,
  withCut: boolean,
  visit: (parent: Node, slot: number, key: string | number | null) => boolean | void,
): void {
  const first = child.parent;
  if (first === null) return;
  if ((withCut || (child.flags & FIRST_CUT) === 0) && visit(first, child.parentSlot, child.parentKey) === true) return;
  for (const ref of child.extra?.moreParents ?? [])
    if ((withCut || !ref.cut) && visit(ref.node, ref.slot, ref.key) === true) return;
}

/** Which reference this is: 0 for the inline one, then the others; -1 when there is none such. */
export function findParent(child: Node, parent: Node, slot: number, key: string | number | null): number {
  const isFirst = child.parent === parent && child.parentSlot === slot && child.parentKey === key;
  if (isFirst && (child.flags & FIRST_CUT) === 0) return 0;
  const at = (child.extra?.moreParents ?? []).findIndex(
    (ref) => !ref.cut && ref.node === parent && ref.slot === slot && ref.key === key,
  );
  return at === -1 ? -1 : at + 1;
}

export function setParentKey(child: Node, which: number, key: string | number | null): void {
  if (which === 0) child.parentKey = key;
  else {
    const ref = child.extra?.moreParents?.[which - 1];
    if (ref !== undefined) ref.key = key;
  }
}

/** Marks a reference as gone. It stays readable until the subject's fate is settled. */
export function cutParent(child: Node, parent: Node, slot: number, key: string | number | null): boolean {
  const which = findParent(child, parent, slot, key);
  if (which === -1) return false;
  if (which === 0) child.flags |= FIRST_CUT;
  else {
    const ref = child.extra?.moreParents?.[which - 1];
    if (ref !== undefined) ref.cut = true;
  }
  return true;
}

export interface GoneParent {
  readonly node: Node;
  readonly slot: number;
  readonly key: string | number | null;
}

/** Takes the references out for which `isGone` holds, and says which they were. The others keep their order. */
export function dropParents(child: Node, isGone: (parent: Node, isCut: boolean) => boolean): GoneParent[] {
  if (child.parent === null) return [];
  const isFirstCut = (child.flags & FIRST_CUT) !== 0;
  const first: ParentRef = { node: child.parent, slot: child.parentSlot, key: child.parentKey, cut: isFirstCut };
  const gone: GoneParent[] = [];
  const kept: ParentRef[] = [];
  for (const ref of [first, ...(child.extra?.moreParents ?? [])]) {
    if (isGone(ref.node, ref.cut)) gone.push(ref);
    else kept.push(ref);
  }
  const [head, ...rest] = kept;
  child.parent = head?.node ?? null;
  child.parentSlot = head?.slot ?? 0;
  child.parentKey = head?.key ?? null;
  child.flags = head?.cut === true ? child.flags | FIRST_CUT : child.flags & ~FIRST_CUT;
  if (child.extra !== null) child.extra.moreParents = rest.length === 0 ? null : rest;
  return gone;
}
