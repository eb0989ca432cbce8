import { subjectError } from "../subject-error.ts";
import { ChildMap } from "./child-map.ts";
import { checkChild, checkKey, listOf, NO_CHILDREN } from "./child-value.ts";
import type { Node } from "./node.ts";
import type { ChildrenHandle, Subject } from "./subject.ts";

/** Changes a list or map by its smallest difference. */
export function childrenHandle(node: Node, i: number): ChildrenHandle {
  const slot = node.layout.slot(i);
  if ((slot.shape !== "list" && slot.shape !== "map") || slot.get !== undefined)
    throw subjectError("TYPE_MISMATCH", `${slot.name} of ${node.layout.type.name} is not a list or map of children.`);
  return slot.shape === "map" ? mapHandle(node, i) : listHandle(node, i);
}

function store(node: Node, i: number, value: unknown): void {
  if (node.core === null) node.values[i] = value;
  else node.core.write(node, i, value);
}

function mapHandle(node: Node, i: number): ChildrenHandle {
  const slot = node.layout.slot(i);
  const present = (): ChildMap => {
    const value = node.values[i];
    return value instanceof ChildMap ? value : ChildMap.EMPTY;
  };
  function put(key: string, child: Subject | undefined): void {
    if (node.core === null) node.values[i] = ChildMap.changed(present(), key, child);
    else node.core.putChild(node, i, key, child);
  }
  return {
    get size() {
      return present().size;
    },
    get: (key) => present().get(String(key)),
    set(key, subject) {
      const text = checkKey(node, slot, typeof key === "number" ? String(key) : key);
      if (present().get(text) !== checkChild(node, slot, subject)) put(text, subject);
    },
    delete(key) {
      const text = String(key);
      if (!present().has(text)) return false;
      put(text, undefined);
      return true;
    },
    insert: () => refuse(slot.name, "a map has no order to insert into; use set"),
    move: () => refuse(slot.name, "a map has no order to move in"),
    keys: () => present().keys(),
  };
}

function listHandle(node: Node, i: number): ChildrenHandle {
  const slot = node.layout.slot(i);
  const present = (): readonly Subject[] => listOf(node.values[i]);
  function put(list: Subject[]): void {
    store(node, i, list.length === 0 ? NO_CHILDREN : Object.freeze(list));
  }
  function within(index: string | number, most: number): number {
    const number = typeof index === "number" ? index : Number.NaN;
    if (Number.isInteger(number) && number >= 0 && number < most) return number;
    return refuse(slot.name, `there is no position ${String(index)}`);
  }
  return {
    get size() {
      return present().length;
    },
    get: (key) => (typeof key === "number" ? present()[key] : undefined),
    set(key, subject) {
      const at = within(key, present().length);
      if (present()[at] !== checkChild(node, slot, subject)) put(present().with(at, subject));
    },
    delete(key) {
      if (typeof key !== "number" || !Number.isInteger(key) || key < 0 || key >= present().length) return false;
      put(present().toSpliced(key, 1));
      return true;
    },
    insert(index, subject) {
      put(present().toSpliced(within(index, present().length + 1), 0, checkChild(node, slot, subject)));
    },
    move(from, to) {
      const list = [...present()];
      const [moved] = list.splice(within(from, list.length), 1);
      if (moved === undefined || from === to) return;
      list.splice(within(to, list.length + 1), 0, moved);
      put(list);
    },
    keys: () => present().keys(),
  };
}

function refuse(name: string, why: string): never {
  throw subjectError("VALIDATION_FAILED", `${name}: ${why}.`);
}
