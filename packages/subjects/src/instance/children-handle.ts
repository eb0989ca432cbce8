import { subjectError } from "../subject-error.ts";
import { ChildMap } from "./child-map.ts";
import { checkChild, checkKey, listOf, NO_CHILDREN } from "./child-value.ts";
import type { Slot } from "./layout.ts";
import type { Node } from "./node.ts";
import type { ChildrenHandle, Subject } from "./subject.ts";

/** Changes a list or map by its smallest difference. */
export function childrenHandle(node: Node, i: number): ChildrenHandle {
  const slot = node.layout.slot(i);
  if ((slot.shape !== "list" && slot.shape !== "map") || slot.get !== undefined)
    throw subjectError("TYPE_MISMATCH", `${slot.name} of ${node.layout.type.name} is not a list or map of children.`);
  return slot.shape === "map" ? new MapHandle(node, i, slot) : new ListHandle(node, i, slot);
}

class MapHandle implements ChildrenHandle {
  readonly #node: Node;
  readonly #i: number;
  readonly #slot: Slot;

  constructor(node: Node, i: number, slot: Slot) {
    this.#node = node;
    this.#i = i;
    this.#slot = slot;
  }

  get #present(): ChildMap {
    const value = this.#node.values[this.#i];
    return value instanceof ChildMap ? value : ChildMap.EMPTY;
  }

  #put(key: string, child: Subject | undefined): void {
    const node = this.#node;
    if (node.core === null) node.values[this.#i] = ChildMap.changed(this.#present, key, child);
    else node.core.putChild(node, this.#i, key, child);
  }

  get size(): number {
    return this.#present.size;
  }
  get(key: string | number): Subject | undefined {
    return this.#present.get(String(key));
  }
  set(key: string | number, subject: Subject): void {
    const text = checkKey(this.#node, this.#slot, typeof key === "number" ? String(key) : key);
    const child = checkChild(this.#node, this.#slot, subject);
    if (this.#present.get(text) !== child) this.#put(text, child);
  }
  delete(key: string | number): boolean {
    const text = String(key);
    if (!this.#present.has(text)) return false;
    this.#put(text, undefined);
    return true;
  }
  insert(): void {
    refuse(this.#slot.name, "a map has no order to insert into; use set");
  }
  move(): void {
    refuse(this.#slot.name, "a map has no order to move in");
  }
  keys(): IterableIterator<string> {
    return this.#present.keys();
  }
}

class ListHandle implements ChildrenHandle {
  readonly #node: Node;
  readonly #i: number;
  readonly #slot: Slot;

  constructor(node: Node, i: number, slot: Slot) {
    this.#node = node;
    this.#i = i;
    this.#slot = slot;
  }

  get #present(): readonly Subject[] {
    return listOf(this.#node.values[this.#i]);
  }

  #put(list: Subject[]): void {
    const node = this.#node;
    const value = list.length === 0 ? NO_CHILDREN : Object.freeze(list);
    if (node.core === null) node.values[this.#i] = value;
    else node.core.write(node, this.#i, value);
  }

  #within(index: string | number, most: number): number {
    if (typeof index === "number" && Number.isInteger(index) && index >= 0 && index < most) return index;
    return refuse(this.#slot.name, `there is no position ${String(index)}`);
  }

  get size(): number {
    return this.#present.length;
  }
  get(key: string | number): Subject | undefined {
    return typeof key === "number" ? this.#present[key] : undefined;
  }
  set(key: string | number, subject: Subject): void {
    const at = this.#within(key, this.size);
    const child = checkChild(this.#node, this.#slot, subject);
    if (this.#present[at] !== child) this.#put(this.#present.with(at, child));
  }
  delete(key: string | number): boolean {
    if (typeof key !== "number" || !Number.isInteger(key) || key < 0 || key >= this.size) return false;
    this.#put(this.#present.toSpliced(key, 1));
    return true;
  }
  insert(index: number, subject: Subject): void {
    const at = this.#within(index, this.size + 1);
    this.#put(this.#present.toSpliced(at, 0, checkChild(this.#node, this.#slot, subject)));
  }
  move(from: number, to: number): void {
    const list = [...this.#present];
    const [moved] = list.splice(this.#within(from, list.length), 1);
    const at = this.#within(to, list.length + 1);
    if (moved === undefined || from === to) return;
    list.splice(at, 0, moved);
    this.#put(list);
  }
  keys(): IterableIterator<number> {
    return this.#present.keys();
  }
}

function refuse(name: string, why: string): never {
  throw subjectError("VALIDATION_FAILED", `${name}: ${why}.`);
}
