import { subjectError } from "../subject-error.ts";
import { ChildMap } from "./child-map.ts";
import { isSubject, nodeOf } from "./held.ts";
import type { Slot } from "./layout.ts";
import type { Node } from "./node.ts";
import type { Subject } from "./subject.ts";

/** Longest key of a map. Keys come from devices; a path must stay printable. */
const MAX_KEY_CHARS = 1_024;

export const NO_CHILDREN: readonly Subject[] = Object.freeze([]);

export function emptyChildren(shape: "one" | "list" | "map" | undefined): unknown {
  return shape === "list" ? NO_CHILDREN : shape === "map" ? ChildMap.EMPTY : null;
}

/** What a child slot stores for what was assigned. The present value comes back when nothing would change. */
export function normaliseChildren(node: Node, slot: Slot, given: unknown, present: unknown): unknown {
  switch (slot.shape) {
    case "list":
      return toList(node, slot, given, present);
    case "map":
      return toMap(node, slot, given, present);
    default:
      if (given === null || given === undefined) return null;
      return checkChild(node, slot, given);
  }
}

function toList(node: Node, slot: Slot, given: unknown, present: unknown): unknown {
  if (!Array.isArray(given)) throw wrong(node, slot, "a list of subjects");
  const list = given.map((each: unknown) => checkChild(node, slot, each));
  const before = listOf(present);
  const isSame = before.length === list.length && list.every((each, i) => each === before[i]);
  return isSame ? before : Object.freeze(list);
}

function toMap(node: Node, slot: Slot, given: unknown, present: unknown): unknown {
  if (given === present && present instanceof ChildMap) return present;
  const table = new Map<string, Subject>();
  for (const [key, child] of entriesOf(node, slot, given))
    table.set(checkKey(node, slot, key), checkChild(node, slot, child));
  const before = present instanceof ChildMap ? ChildMap.peek(present) : new Map<string, Subject>();
  return isSameMap(before, table) ? present : new ChildMap(table);
}

function entriesOf(node: Node, slot: Slot, given: unknown): Iterable<readonly [unknown, unknown]> {
  if (given instanceof Map || given instanceof ChildMap) return given;
  if (typeof given === "object" && given !== null && !Array.isArray(given) && !isSubject(given))
    return Object.entries(given);
  throw wrong(node, slot, "a map of subjects");
}

function isSameMap(a: ReadonlyMap<string, Subject>, b: ReadonlyMap<string, Subject>): boolean {
  if (a.size !== b.size) return false;
  const others = b.entries();
  for (const [key, child] of a) {
    const other = others.next().value;
    if (other === undefined || other[0] !== key || other[1] !== child) return false;
  }
  return true;
}

export function checkKey(node: Node, slot: Slot, key: unknown): string {
  if (typeof key !== "string") throw wrong(node, slot, "keys that are text");
  if (key.length > MAX_KEY_CHARS) throw wrong(node, slot, `keys of at most ${MAX_KEY_CHARS} characters`);
  return key;
}

export function checkChild(node: Node, slot: Slot, value: unknown): Subject {
  if (!isSubject(value)) throw wrong(node, slot, "subjects");
  const wanted = slot.of?.().name;
  if (wanted === undefined) return value;
  const type = nodeOf(value).layout.type;
  if (type.name === wanted || type.interfaces.includes(wanted)) return value;
  throw wrong(node, slot, `subjects of type ${wanted}, not ${type.name}`);
}

function wrong(node: Node, slot: Slot, what: string): Error {
  return subjectError("TYPE_MISMATCH", `${slot.name} of ${node.layout.type.name} takes ${what}.`);
}

export function listOf(value: unknown): readonly Subject[] {
  return Array.isArray(value) ? (value as readonly Subject[]) : NO_CHILDREN; // child slots hold only what toList made
}

/** Every child a slot's value refers to, with its key. */
export function eachChild(value: unknown, visit: (child: Subject, key: string | number | null) => void): void {
  if (value === null || value === undefined) return;
  if (value instanceof ChildMap) ChildMap.peek(value).forEach((child, key) => visit(child, key));
  else if (Array.isArray(value)) listOf(value).forEach((child, i) => visit(child, i));
  else if (isSubject(value)) visit(value, null);
}
